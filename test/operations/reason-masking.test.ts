import { expect } from 'chai';
import OpenAI from 'openai';
import { setHost } from '../../db/hosts/hosts.ts';
import { MASK_EXPLANATION } from '../../workers/domain/prompts/prompt.ts';
import { makeVectorStore, untilEmbedded } from '../db/vector-store.ts';
import {
  ASKED,
  type IdentifierSample,
  leaksOf,
  makeCanaries,
  PLACES,
  type Place,
  strippedOf,
} from '../domain/identifier-samples.ts';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { teach } from '../support/avatar-with-knowledge.ts';
import { openConversation } from '../support/conversation.ts';
import { deal } from '../support/crm.ts';
import { openEvents } from '../support/event-client.ts';
import { informationOf, sayInsight, waitForInsights, withInsights } from '../support/insight-answers.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type ScriptedMcp, sayText, startScriptedMcp } from '../support/scripted-mcp.ts';
import {
  call,
  embed,
  formFor,
  type ModelRequest,
  type ModelScript,
  rounds,
  say,
  sayInPieces,
} from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';

const canaries = makeCanaries();
/** Where the model reads of those that it is to repeat. */
const SHOWN = ['question', 'dialogue', 'passage', 'contextData', 'insert', 'persona', 'globalData'] as const;
/** Of turns with canaries of their own. */
const MANY = process.env['RUNS'] ? 10_000 : 80;
const samplesOf = (place: Place, of = canaries) => of.get(place) ?? [];
const textOf = (place: Place, of = canaries) =>
  samplesOf(place, of)
    .map(({ written }) => written)
    .join('; ');
const writtenBy = (place: Place, kind: string, of = canaries) =>
  samplesOf(place, of).find(each => each.kind === kind)?.written ?? '';
const TOKEN = /\[[A-Z]+_[1-9]\d*\]/g;
const tokensIn = (request: ModelRequest) =>
  [...new Set(JSON.stringify(request.messages.slice(0, -1)).match(TOKEN))].join('; ');

describe('a turn of a host that masks personal identifiers', () => {
  const service = openOnce(async () =>
    startService({
      store: await makeVectorStore(),
      openaiEmbeddingModel: 'scripted-embedding',
      egressAllowPrivate: true,
      insightConcurrency: 1,
      requestTimeoutMs: 20_000,
    }),
  );
  const { demo, model } = service;
  const [mcp, open] = [openOnce(startScriptedMcp), openOnce(startScriptedMcp)];
  const conversation = openConversation(service);
  let subSlug: string;
  before(async () => {
    model.onEmbeddings = embed(text => [text.length, 1]);
    await setHost(service.db, 'demo', { mask: true });
    subSlug = await build(service, mcp, open);
    const cpf = writtenBy('crm', 'CPF');
    await demo.call('receiveDeal', { ...deal(9), dealname: textOf('crm'), cpf });
  });

  const ask = async (question: string, more: Fields = {}) => {
    const turn = await conversation.ask(question, { subSlug, ...more });
    expect(turn.status, JSON.stringify(turn.body)).to.equal(200);
    return turn;
  };
  const toolNamed = (server: string) => `${server}__fazer`;
  const toolCalls = ({ seen }: ScriptedMcp) =>
    seen
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params?.['arguments'] as { texto: string });
  /** Everything that the model, the embedder and the server of tokens have got. */
  const wires = () => ({
    model: model.requests,
    embedder: model.embeddingRequests.map(({ input }) => input),
    mcp: mcp.seen,
  });

  const everyPlace = (of = canaries) => ({
    originalDialogue: [
      { role: 'user', content: `Oi, ${textOf('dialogue', of)}` },
      { role: 'assistant', content: 'Pois não?' },
    ],
    userData: {
      name: `Rui ${writtenBy('userData', 'CNPJ', of)}`,
      email: writtenBy('userData', 'EMAIL', of),
      phone: writtenBy('userData', 'TELEFONE', of),
      cpf: writtenBy('userData', 'CPF', of),
      outro: textOf('userData', of),
    },
    globalData: { nota: textOf('globalData', of) },
    contextData: textOf('contextData', of),
    dialogueInsertString: textOf('insert', of),
  });

  it('sends none of them, from wherever, to the model, the embedder or a server of tools', async () => {
    await untilEmbedded(service.db);
    mcp.script(message => {
      const { texto } = (message.params?.['arguments'] ?? {}) as { texto?: string };
      return sayText(`Recebi ${texto}. Veja ${textOf('tool result')}`);
    });
    model.script(
      withInsights(
        sayInsight(),
        rounds(
          (request, response) =>
            call([[toolNamed('fechado'), { texto: tokensIn(request) }]])(request, response),
          (request, response) =>
            call([
              ['open_ticket', { subject: 'Pedido', description: tokensIn(request) }],
              ['anotar', { curso: tokensIn(request) }],
            ])(request, response),
          say(request => `Anotei: ${tokensIn(request)}`),
        ),
      ),
    );
    const { data, text: said, requests } = await ask(`Qual a matrícula? ${textOf('question')}`, everyPlace());
    expect(requests).to.have.length.at.least(3);
    for (const { messages } of requests) expect(messages[0]?.content).to.include(MASK_EXPLANATION);

    for (const [wire, sent] of Object.entries(wires())) expect(leaksIn(sent), wire).to.deep.equal([]);
    expect(model.embeddingRequests.flatMap(({ input }) => input).join(' ')).to.include('[CPF_1]');
    const [given] = toolCalls(mcp);
    expect(given?.texto).to.match(TOKEN);

    // They are put back for people, for agents and in what is stored.
    const ofConversation = { conversation_id: conversation.id };
    const [ticket] = await service.db('tickets').where(ofConversation);
    const [message] = await service.db('messages').where({ ...ofConversation, author: 'assistant' });
    const agent = data.jsonArray[0].data.curso;
    const told = { answer: said, agent, ticket: ticket.content, message: message.content };
    for (const [name, text] of Object.entries(told)) {
      expect(text, name).to.not.match(TOKEN);
      const missing = SHOWN.flatMap(place =>
        samplesOf(place).filter(({ plain }) => !strippedOf(text).includes(strippedOf(plain))),
      );
      expect(missing, name).to.deep.equal([]);
    }
    expect(strippedOf(told.answer)).to.include(strippedOf(samplesOf('tool result')[0]?.plain ?? '?'));
    const found = data.assistantResponse.wppParsed.map(({ type }: Fields) => type);
    // A code of the knowledge is trusted, as it is without masking.
    expect(found).to.include.members(['boleto', 'pix']);
  });

  it('gives a value the same token in its next turns, also in an insight, which is put back', async () => {
    const cpf = writtenBy('question', 'CPF');
    model.script(
      withInsights(
        sayInsight({ dialogue_summary: 'A pessoa de [CPF_1] escreveu.', tip: 'Ligue: [cpf_1]' }),
        say('É [CPF_1]?'),
      ),
    );
    const tokenFor = async (question: string, more?: Fields) => {
      const { text, requests } = await ask(question, more);
      return { answer: text, asked: requests.findLast(isTurn)?.messages.at(-1)?.content };
    };
    const first = await tokenFor(`Meu CPF: ${cpf}.`);
    const [token = ''] = first.asked?.match(TOKEN) ?? [];
    expect(first.asked).to.equal(`Meu CPF: ${token}.`);
    const plain = samplesOf('question').find(({ kind }) => kind === 'CPF')?.plain;
    // A value that stands earlier in the prompt now would get the number, if it was not taken.
    const more = { contextData: `Também ${writtenBy('contextData', 'CPF')}` };
    const again = await tokenFor(`Era ${plain} mesmo; e [CPF_1]?`, more);
    expect(again.asked).to.include(`Era ${token} mesmo; e [LITERAL_`);
    expect(again.answer).to.not.match(/\[CPF_/);
    await waitForInsights(service, conversation.id);
    const { body } = await informationOf(service, conversation.id);
    expect(body.data.dialogue_summary).to.not.match(TOKEN);
    expect(body.data.tip).to.not.match(/cpf_1/i);
    expect(
      (await conversation.row()).masked_values.some((value: { text: string }) => value.text === cpf),
    ).to.equal(true);
    for (const [wire, sent] of Object.entries(wires())) expect(leaksIn(sent), wire).to.deep.equal([]);
  });

  it('streams them put back, and never a token or a part of one', async () => {
    const [cpf, email] = [writtenBy('question', 'CPF'), writtenBy('question', 'EMAIL')];
    const question = `Meu CPF é ${cpf} e meu e-mail ${email} mesmo`;
    const saying = (one: string, other: string, again: string) =>
      `Anotei: ${one} e ${other}, (CPF: ${one}).\n\nCerto, **${again}**? ${other}`;
    const answer = saying(cpf, email, cpf);
    const partOfToken = /\[[A-Z]|(CPF|EMAIL)_/i;
    const chats = new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey: demo.token, maxRetries: 0 });
    for (const length of [1, 3, 1_000]) {
      const sayCut: ModelScript = (request, response) => {
        const [one = '', other = ''] = request.messages.at(-1)?.content.match(TOKEN) ?? [];
        const pieces = saying(one, other, one.toLowerCase()).match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
        return sayInPieces(pieces, () => new Promise(setImmediate))(request, response);
      };
      model.script(withInsights(sayInsight(), sayCut));
      const client = await openEvents(service, { conversationId: await demo.newConversation(), question });
      const events = await client.readAll();
      for (const { data } of events) expect(JSON.stringify(data)).to.not.match(partOfToken);
      expect(events.map(({ event }) => event)).to.not.include('replace');
      expect(client.text()).to.equal(answer);
      expect(events.at(-1)?.data.data.assistantResponse.string).to.equal(answer);

      const messages = [{ role: 'user' as const, content: question }];
      const stream = await chats.chat.completions.create({ model: 'principal', messages, stream: true });
      let text = '';
      for await (const { choices } of stream) {
        const content = choices[0]?.delta.content ?? '';
        expect(content).to.not.match(partOfToken);
        text += content;
      }
      expect(text).to.equal(answer);
    }
    expect(leaksIn(model.requests)).to.deep.equal([]);
  });

  it('gives a server the values only where its configuration says so, and masks what it returns', async () => {
    open.script(() => sayText(`O dono é ${textOf('tool result')}`));
    model.script(
      withInsights(
        sayInsight(),
        rounds((request, response) => {
          const texto = request.messages.at(-1)?.content.match(TOKEN)?.join(' ');
          return call([[toolNamed('aberto'), { texto }]])(request, response);
        }, say('Pronto.')),
      ),
    );
    await ask(`Consulte ${writtenBy('question', 'CPF')}`);
    expect(toolCalls(open).at(-1)?.texto).to.equal(writtenBy('question', 'CPF'));
    expect(leaksIn(model.requests)).to.deep.equal([]);
  });

  it('fills in the form of an agent with them', async () => {
    const property = { type: 'string', description: textOf('schema') };
    const frontSchema = { type: 'object', properties: { contato: property } };
    model.script(say(request => formFor(request).replace('texto', tokensInUser(request))));
    const agent = { agentName: 'contato', frontSchema };
    const instructions = `Fale com ${writtenBy('question', 'EMAIL')}`;
    const filledIn = await demo.make('generateAgent', { agent, instructions });
    expect(JSON.stringify(filledIn)).to.include(writtenBy('question', 'EMAIL'));
    expect(leaksIn(model.requests)).to.deep.equal([]);
  });

  it(`sends none of ${MANY} more, of which each turn has its own`, async function () {
    this.timeout(0);
    const sent: IdentifierSample[] = [];
    while (sent.length < MANY) {
      const own = makeCanaries(PLACES.length + sent.length);
      sent.push(...[...ASKED, 'tool result' as const].flatMap(place => samplesOf(place, own)));
      for (const wire of [model.requests, model.embeddingRequests, mcp.seen]) wire.length = 0;
      mcp.script(() => sayText(textOf('tool result', own)));
      model.script(
        withInsights(
          sayInsight(),
          rounds(
            (request, response) =>
              call([[toolNamed('fechado'), { texto: tokensIn(request) }]])(request, response),
            say(request => `Anotei: ${tokensIn(request)}`),
          ),
        ),
      );
      await conversation.restart();
      const { text } = await ask(`Qual a matrícula? ${textOf('question', own)}`, everyPlace(own));
      expect(mcp.seen.length).to.be.above(0);
      for (const [wire, seen] of Object.entries(wires())) expect(leaksOf(sent, seen), wire).to.deep.equal([]);
      // The model has got each of them as a token.
      const answer = strippedOf(text);
      const missing = ASKED.filter(place => place !== 'userData')
        .flatMap(place => samplesOf(place, own))
        .filter(({ plain }) => !answer.includes(strippedOf(plain)));
      expect(missing).to.deep.equal([]);
    }
    await waitForInsights(service, conversation.id);
    expect(leaksOf(sent, wires())).to.deep.equal([]);
  });

  it('leaves all of it as it is where the host does not mask', async () => {
    await setHost(service.db, 'demo', { mask: false });
    model.script(withInsights(sayInsight(), say('[CPF_1]')));
    const { text, requests } = await ask(`Meu CPF: ${writtenBy('question', 'CPF')}`);
    expect(text).to.equal('[CPF_1]');
    const asked = requests.findLast(isTurn)?.messages;
    expect(JSON.stringify(asked)).to.not.include('CPF_0');
    expect(asked?.at(-1)?.content).to.include(writtenBy('question', 'CPF'));
  });
});

const isTurn = ({ headers }: ModelRequest) => headers['x-parley-purpose'] === 'turn';

function tokensInUser(request: ModelRequest): string {
  return request.messages.findLast(({ role }) => role === 'user')?.content.match(TOKEN)?.[0] ?? '';
}

/** An avatar with a flow, knowledge and two servers of tools, of which one may have identifiers. */
async function build({ demo }: Service, mcp: ScriptedMcp, open: ScriptedMcp): Promise<string> {
  const properties = { curso: { type: 'string', description: textOf('schema') }, nota: {}, outro: {} };
  const agent = await makeAgent(demo, 'anotar', { properties }, `Anota. ${textOf('schema')}`);
  const { subSlug, avatarId } = await makeAvatarWithFlow(demo, [
    { type: 'notification-conversation', content: `Siga. ${textOf('persona')}` },
    { type: 'agent', agents: [agent] },
  ]);
  await teach(demo, avatarId, [`A matrícula se faz com ${textOf('passage')}`]);
  for (const [name, { url }, unmasked] of [
    ['fechado', mcp, false],
    ['aberto', open, true],
  ] as const) {
    const config = { avatarId, name, config: { url }, controlConv: true, unmasked };
    expect(await demo.make('saveMcpConfig', config)).to.include({ unmasked });
  }
  return subSlug;
}

/** The identifiers that a text contains, in any spelling, by place. */
function leaksIn(sent: unknown): string[] {
  return PLACES.flatMap(place => leaksOf(samplesOf(place), sent).map(leak => `${place} ${leak}`));
}
