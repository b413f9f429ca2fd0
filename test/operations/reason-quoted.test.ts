import { expect } from 'chai';
import OpenAI from 'openai';
import { setHost } from '../../db/hosts/hosts.ts';
import { makeAgent, makeAvatarWithFlow, type Step } from '../support/avatar-with-flow.ts';
import { makeAvatarWithKnowledge, teach } from '../support/avatar-with-knowledge.ts';
import { openConversation } from '../support/conversation.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { say } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

const subSlug = 'citadora';
const LIBRARY = 'A biblioteca abre de segunda a sexta, das 7h30 às 22h.';
const passages = [
  `# Biblioteca\nCada aluno pode retirar cinco livros. ${LIBRARY} Aos sábados há plantão.`,
  'O estacionamento custa R$ 8,00 por dia.',
];
const NOT_FOUND = 'Não encontrei essa informação com segurança no meu material.';

describe('an avatar that quotes', () => {
  const service = openService();
  const { demo, model } = service;
  const lia = openOnce(() => makeAvatarWithKnowledge(demo, subSlug, passages));
  const conversation = openConversation(service, { subSlug });
  const quote = (avatar_id: string) =>
    demo.call('editAvatar', { avatar_id, answer_mode: 'quote', rewrite: true });
  before(() => quote(lia.avatarId));
  beforeEach(() => model.script(say('Do modelo.')));

  /** A turn, which asks no model. */
  const ask = async (question: string | undefined, more: object = {}) => {
    const { status, data, receipt, requests } = await conversation.ask(question, { ...withReceipt, ...more });
    expect([status, requests], question).to.deep.equal([200, []]);
    return { ...data, receipt, text: data.assistantResponse.string as string };
  };
  const flowing = async (...steps: Step[]) => {
    const made = await makeAvatarWithFlow(demo, steps);
    await quote(made.avatarId);
    await teach(demo, made.avatarId, passages);
    return { subSlug: made.subSlug };
  };

  it('answers with a sentence of a passage as it stands, its source, and no model, call or cost', async () => {
    const { text, sources, tokensControl, unsupported, receipt } = await ask('Qual o horário da biblioteca?');
    expect(text).to.equal(LIBRARY);
    const sentences = [{ from: 0, to: LIBRARY.length }];
    const { datasetId, chunkIds } = lia;
    expect(sources).to.deep.equal([{ chunkId: chunkIds[0], datasetId, sentences }]);
    expect([tokensControl, unsupported]).to.deep.equal([[], []]);
    expect(receipt).to.deep.include({ model: 'quote', modelCalls: [], toolCalls: [], handover: null });
    expect(receipt.retrieval).not.to.have.property('rewritten');
  });

  it('answers what is asked beside who asks it, and at the end of a long message', async () => {
    const question = 'qual o horário da biblioteca?';
    for (const before of [
      'Meu CPF é 123.456.789-09, ',
      'Sou a mãe do Pedro e a gente mora longe daí. '.repeat(6),
    ])
      expect((await ask(before + question)).text).to.equal(LIBRARY);
  });

  it('says that it found nothing, which is a gap, and hands nothing over', async () => {
    const { text, sources, askHumanHelp } = await ask('Vocês têm curso de Astronomia?');
    expect([text, sources, askHumanHelp]).to.deep.equal([NOT_FOUND, [], false]);
    const gaps = service.db('gap_questions').where({ host_id: demo.hostId });
    await eventually(
      () => gaps.clone().select('reason'),
      rows => rows.some(({ reason }: { reason: string }) => reason === 'not_found'),
    );
  });

  it('greets, is thanked and resumes without the knowledge, in its language', async () => {
    expect((await ask('oi, bom dia!')).text).to.equal('Olá! Em que posso ajudar?');
    expect((await ask('obrigado')).text).to.match(/^Por nada!/);
    expect((await ask(undefined, { reasoningConfig: { rebounce: true } })).text).to.match(/\?$/);
    await demo.call('editAvatar', { avatar_id: lia.avatarId, language: 'es' });
    expect((await ask('gracias')).text).to.match(/^¡De nada!/);
    await demo.call('editAvatar', { avatar_id: lia.avatarId, language: 'pt-BR' });
  });

  it('calls a person who is asked for', async () => {
    const { askHumanHelp, receipt } = await ask('quero falar com um atendente');
    expect(askHumanHelp).to.equal(true);
    expect(receipt.handover).to.deep.equal({ by: 'person', reason: 'customer_request' });
  });

  it('understands a question that goes on with the one before', async () => {
    await ask('Qual o horário da biblioteca?');
    expect((await ask('e aos sábados?')).text).to.include('Aos sábados há plantão.');
  });

  it('says the messages of a flow, asks its questions, and skips the steps that need a model', async () => {
    const agent = await makeAgent(demo, 'anotar');
    const flow = await flowing(
      { type: 'message', content: 'Bem-vindo!' },
      { type: 'notification-conversation', content: 'Fale de bolsas.' },
      { type: 'ask', name: 'nome', kind: 'text', content: 'Qual é o seu nome?' },
      { type: 'agent', content: 'Anote.', agents: [agent] },
      { type: 'ask', name: 'email', kind: 'email', content: 'E o seu e-mail?' },
    );
    const first = await ask('oi', flow);
    expect(first.text).to.equal('Bem-vindo!\n\nQual é o seu nome?');
    const outcomes = first.receipt.flow.steps.map(({ outcome, reason = '' }: Record<string, string>) =>
      [outcome, reason].filter(Boolean).join(': '),
    );
    expect(outcomes).to.deep.equal([
      'done',
      'skipped: needs a model',
      'asked',
      'skipped: waits for an answer',
      'skipped: waits for an answer',
    ]);
    expect((await ask('Ana Prado', flow)).text).to.equal('E o seu e-mail?');
    const aside = await ask('quanto custa o estacionamento?', flow);
    expect(aside.text).to.equal(`${passages[1]}\n\nE o seu e-mail?`);
    expect((await ask('ana@exemplo.com.br', flow)).text).to.equal('Certo, anotei.');
  });

  it('is a stream, a chat completion, a rehearsal of a change, and a case, too', async () => {
    const question = 'Quanto custa o estacionamento?';
    const asked = model.requests.length;
    const client = await openEvents(service, { conversationId: conversation.id, question, subSlug });
    expect((await client.readAll()).at(-1)?.data.data.assistantResponse.string).to.equal(passages[1]);
    const openai = new OpenAI({ apiKey: demo.token, baseURL: `${service.baseURL}/v1`, maxRetries: 0 });
    const messages = [{ role: 'user', content: question } as const];
    const completion = await openai.chat.completions.create({ model: subSlug, messages });
    expect(completion.choices[0]?.message.content).to.equal(passages[1]);
    const response = await openai.responses.create({ model: subSlug, input: question });
    expect(response.output_text).to.equal(passages[1]);
    const other = await makeAvatarWithKnowledge(demo, 'ensaio', passages);
    const reasoningConfig = { rehearsal: true, changes: { avatar: { answer_mode: 'quote' } } };
    expect((await ask(question, { subSlug: 'ensaio', reasoningConfig })).text).to.equal(passages[1]);
    const cases = [{ question, expect: { contains: 'R$ 8,00' } }];
    const saved = await demo.call('saveEvaluationCases', { avatarId: other.avatarId, cases });
    expect(saved.status).to.equal(200);
    const run = { avatar_id: other.avatarId, answer_mode: 'quote', evaluate: true };
    const { status, body } = await demo.call('editAvatar', run);
    expect([status, model.requests.length - asked], JSON.stringify(body)).to.deep.equal([200, 0]);
  });

  it('quotes on a host with masking, too, without the token of an identifier', async () => {
    await setHost(service.db, demo.slug, { mask: true });
    const cpf = '529.982.247-25';
    const desk = `O CPF ${cpf} do reitor fica no balcão azul.`;
    const masked = await makeAvatarWithKnowledge(demo, 'mascarada', [desk]);
    await quote(masked.avatarId);
    for (const question of [`Onde fica o CPF ${cpf} do reitor?`, 'Onde fica o CPF do reitor?'])
      expect((await ask(question, { subSlug: 'mascarada' })).text, question).to.equal(desk);
    expect((await ask('Quanto custa o estacionamento?')).text).to.equal(passages[1]);
    await setHost(service.db, demo.slug, { mask: false });
  });

  it('is silent while a person attends', async () => {
    await ask('oi');
    await service
      .db('conversations')
      .where({ id: conversation.id })
      .update({ attended: true, ask_human_help: true });
    expect((await ask('Quanto custa o estacionamento?')).text).to.equal('');
  });
});
