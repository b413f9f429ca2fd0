import { expect } from 'chai';
import OpenAI from 'openai';
import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { withHost } from '../../db/with-hosts.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { MASK_EXPLANATION } from '../../workers/domain/prompts/prompt.ts';
import { makeVectorStore } from '../db/vector-store.ts';
import {
  ASKED,
  type IdentifierSample,
  leaksOf,
  makeCanaries,
  PLACES,
  type Place,
  strippedOf,
} from '../domain/identifier-samples.ts';
import { makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { CRM, deal } from '../support/crm.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { informationOf, sayInsight, waitForInsights, withInsights } from '../support/insight-answers.ts';
import { openOnce } from '../support/opened.ts';
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
const tokensIn = (request: ModelRequest) => [
  ...new Set(JSON.stringify(request.messages.slice(0, -1)).match(TOKEN)),
];

/** The identifiers that a text contains, in any spelling, by place. */
function leaksIn(sent: unknown): string[] {
  return PLACES.flatMap(place => leaksOf(samplesOf(place), sent).map(leak => `${place} ${leak}`));
}

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
  let mcp: ScriptedMcp;
  let open: ScriptedMcp;
  let subSlug: string;
  let conversationId: string;
  before(async () => {
    service.model.onEmbeddings = embed(text => [text.length, 1]);
    mcp = await startScriptedMcp();
    open = await startScriptedMcp();
    await setHost(service.db, 'demo', { mask: true });
    subSlug = await build(service, mcp, open);
    await service.call(`${CRM}/deals`, { ...deal(9), dealname: textOf('crm'), cpf: writtenBy('crm', 'CPF') });
  });
  after(async () => {
    await mcp.close();
    await open.close();
  });

  const ask = async (question: string, more: Record<string, unknown> = {}) => {
    const { status, body } = await service.ask(question, { conversationId, subSlug, ...more });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  };
  const toolNamed = (server: string) => `${server}__fazer`;
  const toolCalls = ({ seen }: ScriptedMcp) =>
    seen
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params?.['arguments'] as { texto: string });
  /** Everything that the model, the embedder and the server of tokens have got. */
  const wires = () => ({
    model: service.model.requests,
    embedder: service.model.embeddingRequests.map(({ input }) => input),
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
    await eventually(
      async () => service.db('chunk_embeddings').where({ space: '' }).pluck('chunk_id'),
      left => left.length === 0,
      20_000,
    );
    conversationId = await service.newConversation();
    mcp.script(message => {
      const { texto } = (message.params?.['arguments'] ?? {}) as { texto?: string };
      return sayText(`Recebi ${texto}. Veja ${textOf('tool result')}`);
    });
    const turn = (request: ModelRequest) => tokensIn(request).join('; ');
    service.model.script(
      withInsights(
        sayInsight(),
        rounds(
          (request, response) => call([[toolNamed('fechado'), { texto: turn(request) }]])(request, response),
          (request, response) =>
            call([
              ['open_ticket', { subject: 'Pedido', description: turn(request) }],
              ['anotar', { curso: turn(request) }],
            ])(request, response),
          say(request => `Anotei: ${turn(request)}`),
        ),
      ),
    );
    const from = service.model.requests.length;
    const data = await ask(`Qual a matrícula? ${textOf('question')}`, everyPlace());
    const requests = service.model.requests.slice(from);
    expect(requests).to.have.length.at.least(3);
    for (const { messages } of requests) expect(messages[0]?.content).to.include(MASK_EXPLANATION);

    for (const [wire, sent] of Object.entries(wires())) expect(leaksIn(sent), wire).to.deep.equal([]);
    expect(service.model.embeddingRequests.flatMap(({ input }) => input).join(' ')).to.include('[CPF_1]');
    const [given] = toolCalls(mcp);
    expect(given?.texto).to.match(TOKEN);

    // They are put back for people, for agents and in what is stored.
    const [ticket] = await service.db('tickets').where({ conversation_id: conversationId });
    const [message] = await service
      .db('messages')
      .where({ conversation_id: conversationId, author: 'assistant' });
    const told = {
      answer: data.assistantResponse.string,
      agent: data.jsonArray[0].data.curso,
      ticket: ticket.content,
      message: message.content,
    };
    for (const [name, text] of Object.entries(told)) {
      expect(text, name).to.not.match(TOKEN);
      const places = [
        'question',
        'dialogue',
        'passage',
        'contextData',
        'insert',
        'persona',
        'globalData',
      ] as const;
      const missing = places.flatMap(place =>
        samplesOf(place).filter(({ plain }) => !strippedOf(text).includes(strippedOf(plain))),
      );
      expect(missing, name).to.deep.equal([]);
    }
    expect(strippedOf(told.answer)).to.include(strippedOf(samplesOf('tool result')[0]?.plain ?? '?'));
    const found = data.assistantResponse.wppParsed.map(({ type }: { type: string }) => type);
    // A code of the knowledge is trusted, as it is without masking.
    expect(found).to.include.members(['boleto', 'pix']);
  });

  it('gives a value the same token in its next turns, also in an insight, which is put back', async () => {
    conversationId = await service.newConversation();
    const cpf = writtenBy('question', 'CPF');
    service.model.script(
      withInsights(
        sayInsight({ dialogue_summary: 'A pessoa de [CPF_1] escreveu.', tip: 'Ligue: [cpf_1]' }),
        say('É [CPF_1]?'),
      ),
    );
    const tokenFor = async (question: string, more: Record<string, unknown> = {}) => {
      const data = await ask(question, more);
      return {
        answer: data.assistantResponse.string,
        asked: service.model.requests.findLast(isTurn)?.messages.at(-1)?.content,
      };
    };
    const first = await tokenFor(`Meu CPF: ${cpf}.`);
    expect(first.asked).to.equal(
      'Meu CPF: [CPF_1].'.replace('[CPF_1]', first.asked?.match(TOKEN)?.[0] ?? ''),
    );
    const [token = ''] = first.asked?.match(TOKEN) ?? [];
    const plain = samplesOf('question').find(({ kind }) => kind === 'CPF')?.plain;
    // What stands earlier in the prompt now would get the number, if it was not taken.
    const more = { contextData: `Também ${writtenBy('contextData', 'CPF')}` };
    const again = await tokenFor(`Era ${plain} mesmo; e [CPF_1]?`, more);
    expect(again.asked).to.include(`Era ${token} mesmo; e [LITERAL_`);
    expect(again.answer).to.not.match(/\[CPF_/);
    await waitForInsights(service, conversationId);
    const { body } = await informationOf(service, conversationId);
    expect(body.data.dialogue_summary).to.not.match(TOKEN);
    expect(body.data.tip).to.not.match(/cpf_1/i);
    const [kept] = await service.db('conversations').where({ id: conversationId });
    expect(kept.masked_values.some((value: { text: string }) => value.text === cpf)).to.equal(true);
    for (const [wire, sent] of Object.entries(wires())) expect(leaksIn(sent), wire).to.deep.equal([]);
  });

  it('streams them put back, and never a token or a part of one', async () => {
    const [cpf, email] = [writtenBy('question', 'CPF'), writtenBy('question', 'EMAIL')];
    const question = `Meu CPF é ${cpf} e meu e-mail ${email} mesmo`;
    const saying = (one: string, other: string, again: string) =>
      `Anotei: ${one} e ${other}, (CPF: ${one}).\n\nCerto, **${again}**? ${other}`;
    const answer = saying(cpf, email, cpf);
    const partOfToken = /\[[A-Z]|(CPF|EMAIL)_/i;
    const chats = new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey: service.demo.token, maxRetries: 0 });
    for (const length of [1, 3, 1_000]) {
      const sayCut: ModelScript = (request, response) => {
        const [one = '', other = ''] = request.messages.at(-1)?.content.match(TOKEN) ?? [];
        const pieces = saying(one, other, one.toLowerCase()).match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
        return sayInPieces(pieces, () => new Promise(setImmediate))(request, response);
      };
      service.model.script(withInsights(sayInsight(), sayCut));
      conversationId = await service.newConversation();
      const client = await openEvents(service, { conversationId, question });
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
    expect(leaksIn(service.model.requests)).to.deep.equal([]);
  });

  it('gives a server the values only where its configuration says so, and masks what it returns', async () => {
    conversationId = await service.newConversation();
    open.script(() => sayText(`O dono é ${textOf('tool result')}`));
    service.model.script(
      withInsights(
        sayInsight(),
        rounds(
          (request, response) =>
            call([
              [toolNamed('aberto'), { texto: request.messages.at(-1)?.content.match(TOKEN)?.join(' ') }],
            ])(request, response),
          say('Pronto.'),
        ),
      ),
    );
    await ask(`Consulte ${writtenBy('question', 'CPF')}`);
    expect(toolCalls(open).at(-1)?.texto).to.equal(writtenBy('question', 'CPF'));
    expect(leaksIn(service.model.requests)).to.deep.equal([]);
  });

  it('fills in the form of an agent with them', async () => {
    const property = { type: 'string', description: textOf('schema') };
    const frontSchema = { type: 'object', properties: { contato: property } };
    service.model.script(say(request => formFor(request).replace('texto', tokensInUser(request))));
    const agent = {
      agentName: 'contato',
      frontSchema,
      schemaName: 's',
      frontName: 'Contato',
      description: '',
    };
    const { status, body } = await service.call(`${SVC}/generateAgentHelper`, {
      hostId: service.demo.hostId,
      agent,
      instructions: `Fale com ${writtenBy('question', 'EMAIL')}`,
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(JSON.stringify(body.data)).to.include(writtenBy('question', 'EMAIL'));
    expect(leaksIn(service.model.requests)).to.deep.equal([]);
  });

  it(`sends none of ${MANY} more, of which each turn has its own`, async function () {
    this.timeout(0);
    const sent: IdentifierSample[] = [];
    const tokens = (request: ModelRequest) => tokensIn(request).join('; ');
    while (sent.length < MANY) {
      const own = makeCanaries(PLACES.length + sent.length);
      sent.push(...[...ASKED, 'tool result' as const].flatMap(place => samplesOf(place, own)));
      for (const wire of [service.model.requests, service.model.embeddingRequests, mcp.seen]) wire.length = 0;
      mcp.script(() => sayText(textOf('tool result', own)));
      service.model.script(
        withInsights(
          sayInsight(),
          rounds(
            (request, response) =>
              call([[toolNamed('fechado'), { texto: tokens(request) }]])(request, response),
            say(request => `Anotei: ${tokens(request)}`),
          ),
        ),
      );
      conversationId = await service.newConversation();
      const data = await ask(`Qual a matrícula? ${textOf('question', own)}`, everyPlace(own));
      expect(mcp.seen.length).to.be.above(0);
      for (const [wire, seen] of Object.entries(wires())) expect(leaksOf(sent, seen), wire).to.deep.equal([]);
      // The model has got each of them as a token.
      const answer = strippedOf(data.assistantResponse.string);
      const missing = ASKED.filter(place => place !== 'userData')
        .flatMap(place => samplesOf(place, own))
        .filter(({ plain }) => !answer.includes(strippedOf(plain)));
      expect(missing).to.deep.equal([]);
    }
    await waitForInsights(service, conversationId);
    expect(leaksOf(sent, wires())).to.deep.equal([]);
  });

  it('leaves all of it as it is where the host does not mask', async () => {
    await setHost(service.db, 'demo', { mask: false });
    service.model.script(withInsights(sayInsight(), say('[CPF_1]')));
    conversationId = await service.newConversation();
    const data = await ask(`Meu CPF: ${writtenBy('question', 'CPF')}`);
    expect(data.assistantResponse.string).to.equal('[CPF_1]');
    expect(JSON.stringify(service.model.requests.findLast(isTurn)?.messages)).to.not.include('CPF_0');
    expect(service.model.requests.findLast(isTurn)?.messages.at(-1)?.content).to.include(
      writtenBy('question', 'CPF'),
    );
  });
});

const isTurn = ({ headers }: ModelRequest) => headers['x-parley-purpose'] === 'turn';

function tokensInUser(request: ModelRequest): string {
  return request.messages.findLast(({ role }) => role === 'user')?.content.match(TOKEN)?.[0] ?? '';
}

/** An avatar with a flow, knowledge and two servers of tools, of which one may have identifiers. */
async function build(service: Service, mcp: ScriptedMcp, open: ScriptedMcp): Promise<string> {
  const { db, demo } = service;
  const home = { db, hostId: demo.hostId };
  await withHost(db, demo.hostId, async scope => {
    await setSchema(scope, {
      schemaName: 'anotacao',
      arguments: {
        type: 'object',
        properties: { curso: { type: 'string', description: textOf('schema') }, nota: {}, outro: {} },
      },
    });
    await setAgent(scope, {
      agentName: 'anotar',
      schemaName: 'anotacao',
      description: `Anota. ${textOf('schema')}`,
      frontSchema: {},
    });
  });
  const { subSlug, avatarId } = await makeAvatarWithFlow(home, [
    { type: 'notification-conversation', content: `Siga. ${textOf('persona')}` },
    { type: 'agent', agents: [{ agentName: 'anotar', schemaName: 'anotacao' }] },
  ]);
  await withHost(db, demo.hostId, async scope => {
    const { id: datasetId } = await insertDataset(scope, { name: 'Matrícula' });
    await linkDataset(scope, { datasetId, avatarId });
    await insertChunk(scope, {
      datasetId,
      content: `A matrícula se faz com ${textOf('passage')}`,
      tokenCount: 9,
    });
  });
  for (const [name, { url }, unmasked] of [
    ['fechado', mcp, false],
    ['aberto', open, true],
  ] as const) {
    const config = { hostId: demo.hostId, avatarId, name, config: { url }, controlConv: true, unmasked };
    const { status, body } = await service.call(`${SVC}/saveMCPConfigHelper`, config);
    expect([status, body.data?.unmasked]).to.deep.equal([200, unmasked]);
  }
  return subSlug;
}
