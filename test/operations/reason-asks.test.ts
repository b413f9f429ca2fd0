import { expect } from 'chai';
import OpenAI from 'openai';
import type { Choice } from '../../workers/domain/asks/said-value.ts';
import { askTextsOf } from '../../workers/domain/prompts/ask-texts.ts';
import { makeAgent, makeAvatarWithFlow, type Step } from '../support/avatar-with-flow.ts';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import { openEvents } from '../support/event-client.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { call, fail, type ModelRequest, type ModelScript, rounds, say } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openOwnService } from '../support/service.ts';

const texts = askTextsOf('pt-BR');
const CPF = '529.982.247-25';
const OTHER_CPF = '111.444.777-35';
const LINK = 'https://pague.example/segunda-via';
const months: Choice[] = [
  { id: '2026-07', title: 'Julho' },
  { id: '2026-08', title: 'Agosto' },
];
const answers: Choice[] = [
  { id: 'sim', title: 'Sim' },
  { id: 'nao', title: 'Não' },
];
const ask = (name: string, kind: Step['kind'], content: string, more: Partial<Step> = {}): Step => ({
  type: 'ask',
  name,
  ...(kind && { kind }),
  content,
  ...more,
});
const secondCopy: Step[] = [
  ask('cpf', 'cpf', 'Qual é o CPF do aluno?'),
  ask('mes', 'choice', 'De que mês?', { choices: months }),
  { type: 'notification-conversation', content: 'Busque o boleto com ERP__boleto, com o CPF e o mês.' },
  ask('envia', 'choice', 'Envio o link?', { choices: answers }),
  { type: 'when', name: 'envia', values: ['NÃO'], goTo: 6 },
  { type: 'message', content: `Aqui está: ${LINK}` },
  { type: 'notification-conversation', content: 'Despeça-se.' },
  { type: 'end', content: 'A pessoa se despede' },
];
const boleto = {
  name: 'boleto',
  description: 'O boleto de um mês.',
  method: 'GET',
  path: '/boletos/{cpf}',
  query: [{ argument: 'mes' }],
  arguments: { type: 'object', properties: { cpf: { type: 'string' }, mes: { type: 'string' } } },
};

describe('a flow that asks', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { demo, model } = service;
  const conversation = openConversation(service, withReceipt);
  const system = openOnce(startReceiver);
  afterEach(() => {
    system.received.length = 0;
  });

  const systemIn = ({ messages }: ModelRequest) =>
    messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n');
  const dataIn = (request: ModelRequest): Fields =>
    JSON.parse(/# Dados da conversa\n(.*)/.exec(systemIn(request))?.[1] ?? '{}');
  /** Calls the tool once with what it knows, where the flow tells it to, and says what it was asked. */
  const attentive: ModelScript = (request, response) => {
    const { cpf, mes } = dataIn(request);
    const isTold = systemIn(request).includes('ERP__boleto');
    const isDone = request.messages.some(({ tool_calls: calls }) => calls !== undefined);
    const isLast = systemIn(request).includes('Despeça-se');
    const script = isTold && !isDone && !isLast ? call([['ERP__boleto', { cpf, mes }]]) : say('Pois não.');
    return script(request, response);
  };
  const steer = async (steps: readonly Step[]) => {
    const { subSlug, avatarId } = await makeAvatarWithFlow(demo, steps);
    await demo.make('saveRestTool', {
      avatarId,
      name: 'ERP',
      baseURL: `${system.url}/`,
      functions: [boleto],
    });
    system.script((_, response) => void response.writeHead(200).end('{"valor": "pago"}'));
    model.script(attentive);
    return subSlug;
  };
  const steered = openOnce(async () => ({ subSlug: await steer(secondCopy), close: async () => {} }));
  const talk = async (messages: readonly string[], subSlug = steered.subSlug) => {
    system.script((_, response) => void response.writeHead(200).end('{"valor": "pago"}'));
    model.script(attentive);
    const turns = [];
    for (const message of messages) turns.push(await conversation.ask(message, { subSlug }));
    for (const { status, body } of turns) expect(status, JSON.stringify(body)).to.equal(200);
    return { turns, texts: turns.map(({ text }) => text), data: (await conversation.row()).global_data };
  };

  it('asks one thing after the other, checks it without a model, and has a tool called with what was said', async () => {
    const { turns, data } = await talk(['Quero a segunda via', CPF, 'agosto', 'sim', 'tchau']);
    expect(turns.map(({ text }) => text)).to.deep.equal([
      'Pois não.\n\nQual é o CPF do aluno?',
      'De que mês?\n\n1. Julho\n2. Agosto',
      'Pois não.\n\nEnvio o link?\n\n1. Sim\n2. Não',
      `Aqui está: ${LINK}\n\nPois não.`,
      'Pois não.',
    ]);
    expect(turns.map(({ requests }) => requests.length)).to.deep.equal([1, 0, 2, 1, 1]);
    expect(turns.map(({ data: { choices } }) => choices)).to.deep.equal([
      undefined,
      months,
      answers,
      undefined,
      undefined,
    ]);
    expect(system.received.map(({ path }) => path)).to.deep.equal(['/boletos/52998224725?mes=2026-08']);
    expect(data).to.include({ cpf: '52998224725', mes: '2026-08', envia: 'sim' });
    const outcomes = turns[1]?.receipt.flow.steps.map(({ outcome, reason }: Fields) => reason ?? outcome);
    expect(outcomes).to.deep.equal([
      'done',
      'asked',
      ...Array.from({ length: 6 }, () => 'waits for an answer'),
    ]);
    expect(systemIn(turns[0]?.requests[0] as ModelRequest)).to.include('Qual é o CPF do aluno?');
  });

  it('takes a button by its id, also without a text', async () => {
    const { subSlug } = steered;
    await talk(['Oi', CPF]);
    const pressed = await conversation.ask(undefined, { subSlug, choice: '2026-07' });
    expect([pressed.text, (await conversation.row()).global_data.mes]).to.deep.equal([
      'Pois não.\n\nEnvio o link?\n\n1. Sim\n2. Não',
      '2026-07',
    ]);
  });

  describe('comes to its end however people talk', () => {
    const done = { cpf: '52998224725', mes: '2026-08', envia: 'sim' };
    const august = '/boletos/52998224725?mes=2026-08';
    const july = '/boletos/52998224725?mes=2026-07';
    const otherAugust = '/boletos/11144477735?mes=2026-08';
    // biome-ignore format: a table
    const table: readonly (readonly [said: string[], data: Fields, called?: string[]])[] = [
      [[CPF, '2', '1'], done],
      [['meu cpf é 52998224725', 'Agosto', 'Sim'], done],
      [['529 982 247 25 viu', 'a segunda', 'claro'], done],
      [['cinco dois nove nove oito dois dois quatro sete dois cinco', 'dois', 'pode ser'], done],
      [['segue 529982247-25 blz', 'o de agosto', 'manda'], done],
      [['123', CPF, 'agosto', 's'], done],
      [['529.982.247-26', CPF, 'agosto', 'siiim'], done],
      [['não sei', 'peraí', CPF, 'agosto', 'isso'], done],
      [['quanto custa a segunda via?', CPF, 'agosto', 'sim'], done],
      [[CPF, 'qual o horário de vocês?', 'agosto', 'sim'], done],
      [[CPF, 'agosto', 'é seguro?', 'sim'], done, [august, august]],
      [[`${CPF}, precisa de mais algo?`, 'agosto', 'sim'], done],
      [[CPF, 'setembro', 'agosto', 'sim'], done],
      [[CPF, '7', '2', 'sim'], done],
      [[CPF, 'julho', 'não, é agosto', 'sim'], done, [july, august]],
      [[CPF, 'julho', 'errei, é agosto', 'ok'], done, [july, august]],
      [[CPF, '1', 'ops, 2', 'uhum'], done, [july, august]],
      [[OTHER_CPF, `digitei errado: ${CPF}`, 'agosto', 'sim'], done],
      [[OTHER_CPF, 'agosto', `errei o cpf, é ${CPF}`, 'sim'], done, [otherAugust, august]],
      [[CPF, 'agosto', 'talvez', 'sim por favor'], done],
      [[CPF, 'agosto', 'não'], { ...done, envia: 'nao' }],
      [[CPF, 'agosto', 'agora não'], { ...done, envia: 'nao' }],
      [[CPF, 'agosto', 'n'], { ...done, envia: 'nao' }],
      [['deixa pra lá', CPF], {}, []],
      [['ah esquece', CPF], {}, []],
      [[CPF, 'cancela', 'agosto'], { cpf: done.cpf }, []],
      [[CPF, 'não quero mais', 'agosto'], { cpf: done.cpf }, []],
      [[CPF, 'agosto', 'desisto', 'obrigada'], { cpf: done.cpf, mes: done.mes }, [august, august]],
      [['1', '2', '3', 'agosto', 'sim'], { mes: done.mes, envia: 'sim' }, ['/boletos/?mes=2026-08']],
      [['quero falar com um atendente', CPF, 'agosto', 'bora'], done],
      [[CPF, 'agosto', 'sim', 'errei, não'], { ...done, envia: 'nao' }],
    ];
    for (const [said, kept, called = [august]] of table)
      it(said.join(' / '), async () => {
        const { data, texts: answered } = await talk(['Quero a segunda via', ...said]);
        const { cpf, mes, envia } = data;
        expect(JSON.parse(JSON.stringify({ cpf, mes, envia }))).to.deep.equal(kept);
        const isLinkWanted = said.includes('errei, não') || kept['envia'] === 'sim';
        expect(answered.some(text => text.includes(LINK))).to.equal(isLinkWanted);
        if (kept['cpf'] !== undefined) expect(system.received.map(({ path }) => path)).to.deep.equal(called);
      });
  });

  it('says what is wanted, and that it goes on, and that it stops', async () => {
    const { texts: answered } = await talk(['Oi', '123', '456', '789', 'deixa pra lá', 'julho']);
    expect(answered.slice(1)).to.deep.equal([
      `${texts.wanted.cpf}\n\nQual é o CPF do aluno?`,
      `${texts.wanted.cpf}\n\nQual é o CPF do aluno?`,
      `${texts.givenUp}\n\nDe que mês?\n\n1. Julho\n2. Agosto`,
      texts.stopped,
      'Pois não.',
    ]);
  });

  it('keeps nothing of a turn that the model did not answer', async () => {
    const subSlug = await steer([ask('n', 'number', 'Quantos?'), { type: 'message', content: 'Anotado!' }]);
    await talk(['Oi'], subSlug);
    model.script(fail(401));
    expect((await conversation.ask('3', { subSlug })).status).to.equal(503);
    expect((await talk(['3'], subSlug)).texts).to.deep.equal(['Anotado!\n\nPois não.']);
  });

  it('asks nothing while a person of staff attends', async () => {
    await talk(['Oi']);
    const conversationId = conversation.id;
    await demo.call('updateConversation', { conversationId, ask_human_help: true });
    await demo.call('appendMessage', { conversationId, author: 'human', content: 'Aqui é a Bia.' });
    const { data, texts: silent } = await talk([CPF]);
    expect([silent, data.cpf]).to.deep.equal([[''], undefined]);
    await demo.call('updateConversation', { conversationId, ask_human_help: false });
    expect((await talk([CPF])).texts[0]).to.include('De que mês?');
  });

  it('takes what was said to staff for no answer, but for what can be no other', async () => {
    await talk(['Oi']);
    const conversationId = conversation.id;
    await demo.call('appendMessage', {
      conversationId,
      author: 'human',
      from_channel: true,
      content: 'Pronto!',
    });
    await demo.call('updateConversation', { conversationId, ask_human_help: false });
    const { texts: answered, data } = await talk(['Muito obrigado', CPF]);
    expect(answered).to.deep.equal([
      'Pois não.\n\nQual é o CPF do aluno?',
      'De que mês?\n\n1. Julho\n2. Agosto',
    ]);
    expect(data.cpf).to.equal('52998224725');
  });

  it('asks nothing beside a call that waits for a yes, which answers that call alone; a button is no yes', async () => {
    const pagar = { ...boleto, name: 'pagar', method: 'POST' };
    const steps = [
      ask('envia', 'choice', 'Envio o link?', { choices: answers }),
      ask('fim', 'text', 'Mais algo?'),
    ];
    const { subSlug, avatarId } = await makeAvatarWithFlow(demo, steps);
    const erp = { avatarId, name: 'ERP', baseURL: `${system.url}/`, functions: [pagar] };
    await demo.make('saveRestTool', erp);
    system.script((_, response) => void response.end('pago'));
    const question = 'Envio o link?\n\n1. Sim\n2. Não';
    const turn = async (said: string, more: Fields = {}) => {
      const args = { cpf: CPF };
      model.script(rounds(call([['ERP__pagar', args]]), say('Pago?')));
      const { text, data } = await conversation.ask(said, { subSlug, ...more });
      return [text, data.choices, (await conversation.row()).global_data.envia, system.received.length];
    };
    model.script(say('Olá.'));
    expect((await conversation.ask('Oi', { subSlug })).text).to.equal(`Olá.\n\n${question}`);
    expect(await turn('Paga o boleto?')).to.deep.equal(['Pago?', undefined, undefined, 0]);
    expect(await turn('sim')).to.deep.equal([`Pago?\n\n${question}`, answers, undefined, 1]);
    expect(await turn('Paga outra vez?')).to.deep.equal(['Pago?', undefined, undefined, 1]);
    expect(await turn('Sim', { choice: 'sim' })).to.deep.equal(['Mais algo?', undefined, 'sim', 1]);
  });

  it('runs an agent whose argument was the answer', async () => {
    const lead = await makeAgent(demo, 'asked-lead');
    const subSlug = await steer([ask('curso', 'text', 'Que curso?'), { type: 'agent', agents: [lead] }]);
    await talk(['Oi'], subSlug);
    model.script((request, response) => {
      const isForced = typeof request.tool_choice === 'object';
      return (isForced ? call([['asked-lead', { curso: 'Direito' }]]) : say('Anotei.'))(request, response);
    });
    const { data } = await conversation.ask('Direito', { subSlug });
    expect(data.jsonArray).to.deep.equal([{ ...lead, data: { curso: 'Direito' } }]);
  });

  it('tells the model which choice of a message was meant', async () => {
    const choices = [
      { id: 'fin', title: 'Financeiro' },
      { id: 'sec', title: 'Secretaria' },
    ];
    const subSlug = await steer([{ type: 'message', content: 'Escolha:', choices }]);
    const { turns } = await talk(['Oi', '2'], subSlug);
    expect([turns[0]?.text, turns[0]?.data.choices, turns[1]?.data.choices]).to.deep.equal([
      'Escolha:\n\n1. Financeiro\n2. Secretaria\n\nPois não.',
      choices,
      undefined,
    ]);
    expect(systemIn(turns[1]?.requests[0] as ModelRequest)).to.include('"Secretaria" (sec)');
  });

  it('gives the same text in pieces, and to a client of OpenAI', async () => {
    const { subSlug } = steered;
    const whole = (await talk(['Oi', CPF, 'agosto'])).texts;
    await conversation.restart();
    const pieces = [];
    for (const question of ['Oi', CPF, 'agosto']) {
      const client = await openEvents(service, { conversationId: conversation.id, question, subSlug });
      await client.readAll();
      pieces.push(client.text());
    }
    await conversation.restart();
    const chat = new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey: demo.token, maxRetries: 0 });
    const metadata = { conversation_id: conversation.id };
    const said = [];
    for (const content of ['Oi', CPF, 'agosto']) {
      const messages = [{ role: 'user' as const, content }];
      const completion = await chat.chat.completions.create({ model: subSlug, messages, metadata });
      said.push(completion.choices[0]?.message.content);
    }
    expect([pieces, said]).to.deep.equal([whole, whole]);
  });

  describe('is refused when it is saved with', () => {
    const when = { type: 'when', name: 'mes', values: ['2026-07'] };
    // biome-ignore format: a table
    const table: readonly (readonly [string, Step, string | string[]])[] = [
      ['a question without a name and a kind', { type: 'ask', content: 'Oi?' }, ['chainJson[1].name', 'chainJson[1].kind']],
      ['a question without words', ask('a', 'text', ' '), 'chainJson[1].content'],
      ['a choice without choices', ask('a', 'choice', 'Oi?'), 'chainJson[1].choices'],
      ['choices of another kind', ask('a', 'text', 'Oi?', { choices: months }), 'chainJson[1].choices'],
      ['one choice', ask('a', 'choice', 'Oi?', { choices: months.slice(1) }), 'chainJson[1].choices'],
      ['two choices of one title', { type: 'message', content: 'Oi', choices: [...months, { id: 'x', title: 'JULHO' }] }, 'chainJson[1].choices[2].title'],
      ['too many retries', ask('a', 'text', 'Oi?', { retries: 6 }), 'chainJson[1].retries'],
      ['a branch without parts', { type: 'when' }, ['chainJson[1].name', 'chainJson[1].values', 'chainJson[1].goTo']],
      ['a branch to itself', { ...when, goTo: 1 }, 'chainJson[1].goTo'],
      ['a branch back', { ...when, goTo: 'mes' }, 'chainJson[1].goTo'],
      ['a branch to nowhere', { ...when, goTo: 9 }, 'chainJson[1].goTo'],
      ['a branch to a name that no step has', { ...when, goTo: 'nada' }, 'chainJson[1].goTo'],
    ];
    for (const [title, bad, paths] of table)
      it(title, async () => {
        const chainJson = [
          ask('mes', 'choice', 'De que mês?', { choices: months }),
          bad,
          ask('fim', 'text', 'Fim?'),
        ].map(step => ({ content: '', description: '', ...step }));
        const base = { avatarId: demo.avatarId, decisionName: 'Fluxo', active: false };
        expectWrong(await demo.call('saveFlow', { ...base, chainJson }), paths);
        const { [1]: _, ...kept } = chainJson;
        const right = Object.values(kept);
        expect(
          (await demo.call('saveFlow', { ...base, chainJson: right })).body.data.chainJson,
        ).to.deep.equal(right);
      });
  });
});
