import { randomBytes } from 'node:crypto';
import { SEARCH, SVC } from '../../queues/contract/operations/paths.ts';
import { toolNamed } from '../../test/support/scripted-mcp.ts';
import type { ReportRows } from './report-rows.bench.ts';
import { type Attacker, SLOW_QUESTION } from './target.bench.ts';

/** An input of a tenant; add a line to try another. */
export interface Shape {
  readonly name: string;
  send(attacker: Attacker): Promise<unknown>;
}

const MIB = 1_048_576;
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const atOnce = (count: number, send: (at: number) => Promise<unknown>) => Promise.all(times(count, send));

const question = (name: string, text: string): Shape => ({
  name: `question: ${name}`,
  send: ({ ask }) => ask({ question: text.slice(0, 16_000) }),
});
const dialogue = (name: string, text: string): Shape => ({
  name: `dialogue: ${name}`,
  send: ({ ask }) => ask({ question: 'e isso?', originalDialogue: [text, text, 'e?'] }),
});
const passagesRead = (name: string, text: string): Shape => ({
  name: `chunkReadHelper: ${name}`,
  send: ({ call, hostId, avatarId, datasetId }) =>
    call(`${SVC}/chunkReadHelper`, {
      hostId,
      avatar_id: avatarId,
      dataset_ids: [datasetId],
      question: text.slice(0, 16_000),
    }),
});
const passage = (name: string, text: string): Shape => ({
  name: `passage: ${name}`,
  send: ({ call, hostId, datasetId }) =>
    call(`${SVC}/createChunkHelper`, { host_id: hostId, dataset_id: datasetId, content: text }),
});
/** A body with the maximum number of items. */
const listed = (name: string, item: string, path: string, body: (list: string) => string): Shape[] =>
  ([undefined, 'gzip'] as const).map(packed => ({
    name: `list: ${name}${packed ? ', gzipped' : ''}`,
    send: ({ call }) => {
      const count = Math.floor((MIB - 500) / (item.length + 1));
      return call(path, body(`[${Array(count).fill(item).join(',')}]`), packed);
    },
  }));
const said = (name: string, text: string): Shape => ({
  name: `flow of 50 messages: ${name}`,
  async send({ call, ask, hostId, avatarId }) {
    const step = { type: 'message', description: '', content: text.slice(0, 20_000), canRepeat: true };
    const flow = { hostId, avatarId, decisionName: 'hostile', chainJson: times(50, () => step) };
    const { data } = await call(`${SVC}/saveDecisionChainHelper`, flow);
    const reply = await ask({ question: 'oi' });
    const { id } = (data ?? {}) as { id?: string };
    await call(`${SVC}/saveDecisionChainHelper`, { id, hostId, deleted: true });
    return reply;
  },
});
const tools = (name: string, answer: (page: number) => unknown): Shape => ({
  name: `MCP list: ${name}`,
  send({ mcp, askWithTools }) {
    let page = 0;
    mcp.script(() => answer((page += 1)), ['tools/list']);
    return askWithTools();
  },
});
const schemaOf = (fields: number, field: object) => ({
  type: 'object',
  properties: Object.fromEntries(times(fields, at => [`p${at}`, field])),
});
const eachOf = (count: number, inputSchema: object) => (page: number) => ({
  tools: times(count, at => toolNamed(`t${page}_${at}`, { inputSchema })),
  nextCursor: String(page),
});
/** The server answers the request for its list with these bytes as events. */
const events = (name: string, text: string): Shape => ({
  name: `MCP events: ${name}`,
  send({ mcp, askWithTools }) {
    mcp.script(
      (_message, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text),
      ['tools/list'],
    );
    return askWithTools();
  },
});
const raw = (name: string, bytes: (attacker: Attacker) => string | Buffer, connections = 4): Shape => ({
  name: `connection: ${name}`,
  send: attacker => atOnce(connections, () => attacker.sendRaw(bytes(attacker))),
});
/** Saves a change that is rehearsed with 100 cases; four tokens of a host do so at once. */
const evaluated: Shape = {
  name: 'evaluate: 60 saves with 100 cases, a model of 2.5 s',
  async send({ call, callAs, hostId, avatarId }) {
    const asked = { question: SLOW_QUESTION, expect: {} };
    const store = (cases: object[]) => call(`${SVC}/saveEvaluationCasesHelper`, { hostId, avatarId, cases });
    await store(times(100, at => ({ ...asked, name: `${at}` })));
    const change = { host_id: hostId, avatar_id: avatarId, evaluate: true };
    const save = (at: number) =>
      callAs(at, `${SVC}/editAvatarHelper`, { ...change, avatar_name: `Lia ${at}` });
    const replies = await atOnce(60, save);
    await store([]);
    return replies;
  },
};
const daysAway = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const report = (name: string, path: string, count: number, prepare: Prepare): Shape => ({
  name: `report: ${name}`,
  send: ({ callAs, rows, hostId }) => {
    const period = { hostId, startDate: daysAway(-300), endDate: daysAway(2) };
    return prepare(rows, () => atOnce(count, at => callAs(at, `${SVC}/${path}`, period)));
  },
});
type Prepare = (rows: ReportRows, ask: () => Promise<unknown>) => Promise<unknown>;
const withQuestions: Prepare = async (rows, ask) => {
  await rows.addQuestions(500);
  return ask();
};
/** The maximum number of large flows, listed several times at once. */
const flowLists: Shape = {
  name: 'lists: flows up to the limit',
  async send({ call, hostId, avatarId }) {
    const step = { type: 'other', description: '', content: 'palavra '.repeat(2_400) };
    const flow = { hostId, avatarId, decisionName: 'hostile', chainJson: times(50, () => step) };
    const save = (more: object) => call(`${SVC}/saveDecisionChainHelper`, { hostId, ...more });
    const ids: unknown[] = [];
    for (let saved = await save(flow); saved.status === 200; saved = await save(flow))
      ids.push((saved.data as { id: string }).id);
    const replies = await atOnce(4, () => call(`${SVC}/decisionChainsListHelper`, { hostId }));
    for (const id of ids) await save({ id, deleted: true });
    return replies;
  },
};
/** Bodies whose last byte never comes. */
const unended = (name: string, path: string, size: number, count: number): Shape => ({
  name: `held: ${name}`,
  send({ sendRaw, token }) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const body = Buffer.from(`${head}Content-Length: ${size + 1}\r\n\r\n{"content":"`.padEnd(size, 'x'));
    return atOnce(count, () => sendRaw(body));
  },
});
const documents = (name: string, count: number, bytes: Buffer): Shape => ({
  name: `document: ${name}`,
  send({ call, hostId, learned }) {
    const body = JSON.stringify({
      hostId,
      dataset_id: learned.datasetId,
      name: 'hostile',
      content_type: 'application/pdf',
      content_base64: bytes.toString('base64'),
    });
    return atOnce(count, () => call(`${SVC}/importDocumentHelper`, body));
  },
});
/** Bytes with a question; `type` and `content_type` are the sender's claims about them. */
const attached = (
  name: string,
  type: 'audio' | 'image' | 'file',
  source: Buffer | string,
  count = 1,
): Shape => ({
  name: `attachment: ${name}`,
  send({ ask }) {
    const from = typeof source === 'string' ? { url: source } : { content_base64: source.toString('base64') };
    const attachment = { type, content_type: 'application/pdf', name: 'hostile', ...from };
    return ask({ question: 'oi', attachments: times(count, () => attachment) });
  },
});
/** The header of a picture that claims this size, without its content. */
const pngOf = (side: number): Buffer => {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452000000000000000008060000', 'hex');
  head.writeUInt32BE(side, 16);
  head.writeUInt32BE(side, 20);
  return head;
};
const learnedPage = ({ hostId, learned }: Attacker) => ({
  hostId,
  avatar_id: learned.avatarId,
  dataset_ids: [learned.datasetId],
});
const unread: Shape = {
  name: 'held: 60 answers of 8 MiB that nobody reads',
  send: attacker =>
    atOnce(60, () => attacker.leaveUnread(`${SVC}/chunkReadHelper`, learnedPage(attacker), 20_000)),
};
const largePages = (count: number): Shape => ({
  name: `pages: ${count} of 8 MiB at once`,
  send: attacker => atOnce(count, () => attacker.call(`${SVC}/chunkReadHelper`, learnedPage(attacker))),
});
const chunkedHead = ({ token }: Attacker) =>
  `POST ${SVC} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const agents = (name: string, field: (at: number) => object, count = 60): Shape => ({
  name: `generateAgentHelper: ${name}`,
  send: ({ call, hostId }) =>
    atOnce(count, at =>
      call(`${SVC}/generateAgentHelper`, {
        hostId,
        instructions: 'x',
        agent: { agentName: 'a', frontSchema: { properties: { a: field(at) } } },
      }),
    ),
});
/** Records with the maximum number of fields, or of maximum length; new, repeated, and changed. */
const record = (name: string, fields: (at: number) => Record<string, unknown>): Shape => ({
  name: `intake: ${name}`,
  async send({ call }) {
    const person = { external_id: 4711, dealname: 'x', email: 'x@example.com' };
    const path = '/api/integrations/crm/internal/deals';
    const replies = [];
    for (const at of [0, 0, 1]) replies.push(await call(path, { ...person, ...fields(at) }, 'gzip'));
    return replies;
  },
});
const crowd = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(times(count, at => [`~${at.toString(36)}`, value]));
const searched = (name: string, query: string): Shape => ({
  name: `search: ${name}`,
  send: ({ call }) =>
    call(`${SEARCH}/search/unified`, { query, types: ['fts', 'hybrid', 'similarity'], options: {} }),
});

/** Concurrent turns with much context. */
const large = (name: string, count: number): Shape => ({
  name: `context: ${name}`,
  send: ({ ask }) =>
    atOnce(count, () => ask({ question: 'oi', contextData: 'A secretaria atende. '.repeat(49_000) }, 'gzip')),
});

const dots = '.'.repeat(2_000);
const atDots = '@/.'.repeat(700);
const lines = '\n'.repeat(16_000);
const links = `${"'>'".repeat(20)}…'](http://x.png'…`;

export const shapes: readonly Shape[] = [
  ...[question, dialogue, passagesRead].flatMap(shape => [
    shape('dots', dots),
    shape('at and dots', atDots),
    shape('16,000 line ends', lines),
    shape('letters and dots', 'a.'.repeat(8_000)),
    shape('blanks', `a${' '.repeat(15_998)}a`),
    shape('digits', '1'.repeat(16_000)),
  ]),
  ...listed('originalDialogue', '{}', SVC, list => `{"hostId":"x","originalDialogue":${list}}`),
  ...listed(
    'chainJson',
    '{}',
    `${SVC}/saveDecisionChainHelper`,
    list => `{"hostId":"x","chainJson":${list}}`,
  ),
  ...listed('avatarIds', '1', `${SVC}/datasetsListHelper`, list => `{"hostId":"x","avatarIds":${list}}`),
  ...listed('types', '1', `${SEARCH}/search/unified`, list => `{"query":"x","types":${list}}`),
  ...listed('events', '{}', `${SEARCH}/events`, list => list),
  ...listed('dataset_ids', '1', `${SVC}/chunkReadHelper`, list => `{"hostId":"x","dataset_ids":${list}}`),
  ...listed('deep', '[', `${SVC}/chunkReadHelper`, list => list.replaceAll(',', '')),
  said('empty links, then list marks', `${'[]('.repeat(4_000)}${'1) '.repeat(2_600)}`),
  said('signs, then pictures', `${'>'.repeat(8_000)}${'](http://x.png'.repeat(850)}`),
  said('angles, brackets and pictures', `${'>['.repeat(4_000)}${'](http://x.png)'.repeat(800)}`),
  said(
    'back-ticks',
    Array.from({ length: 190 }, (_, at) => '`'.repeat(at + 1))
      .join('a')
      .slice(0, 20_000),
  ),
  said('addresses', 'http://a.b@'.repeat(1_800)),
  said('pipes', '|'.repeat(20_000)),
  said('digits', '23793'.repeat(4_000)),
  said('brackets in quotes', `${"'[]('".repeat(2_200)}${"'1) '".repeat(1_800)}`),
  said('quoted links', links.repeat(500)),
  said('stars', '*a_ '.repeat(5_000)),
  said('open brackets', '['.repeat(20_000)),
  tools(
    '8 pages of 250 with schemas of 14.5 kB',
    eachOf(250, schemaOf(1, { type: 'string', description: 'x'.repeat(14_000) })),
  ),
  tools('250 with 300 fields each', eachOf(250, schemaOf(300, { type: 'string' }))),
  tools(
    '100 with nested choices',
    eachOf(100, schemaOf(1, { anyOf: times(400, () => ({ type: 'string' })) })),
  ),
  tools('100 with patterns', eachOf(100, schemaOf(100, { type: 'string', pattern: '(a+)+$' }))),
  tools('10,000 with names alone', eachOf(10_000, { type: 'object' })),
  tools('20,000 empty objects', () => ({ tools: times(20_000, () => ({})) })),
  tools('names of 1 MB', () => ({ tools: times(3, at => toolNamed(`${at}${'x'.repeat(MIB)}`)) })),
  tools('the same cursor for ever', () => ({ tools: [toolNamed('t')], nextCursor: 'again' })),
  tools('a million numbers', () => ({ tools: Array(1_000_000).fill(1) })),
  tools('25 with 1,900 wrong choices', eachOf(25, schemaOf(1, { allOf: Array(1_900).fill(5) }))),
  tools('25 with patterns of Unicode classes', page => ({
    tools: times(25, at => {
      const pattern = `x${page}${at}${Date.now()}${'[\\p{L}\\p{M}\\p{C}]'.repeat(900)}`;
      return toolNamed(`t${at}`, { inputSchema: schemaOf(1, { type: 'string', pattern }) });
    }),
  })),
  events(
    'requests of the server',
    'data: {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}\n\n'.repeat(50_000),
  ),
  events('lines without a message', 'a\n'.repeat(1_000_000)),
  raw('1,000 pipelined requests', () => 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000)),
  raw(
    'requests of 1,990 small chunks each, 8 on each of 80 connections',
    attacker => `${chunkedHead(attacker)}${'1\r\nx\r\n'.repeat(1_990)}0\r\n\r\n`.repeat(8),
    80,
  ),
  flowLists,
  unended('60 documents of 20 MiB', `${SVC}/importDocumentHelper`, 20 * MIB, 60),
  unended('230 documents of 20 MiB', `${SVC}/importDocumentHelper`, 20 * MIB, 230),
  unended('300 bodies of 1 MiB', SVC, MIB - 500, 300),
  unread,
  documents('1 of 16 MiB', 1, Buffer.alloc(16 * MIB, 'no PDF')),
  documents('6 of 16 MiB at once', 6, Buffer.alloc(16 * MIB, 'no PDF')),
  ...(['audio', 'image', 'file'] as const).map(type =>
    attached(`16 MiB of noise as ${type}`, type, randomBytes(16 * MIB)),
  ),
  // The address is reserved for tests, so nothing answers there.
  attached('5 addresses that never answer', 'file', 'http://192.0.2.1/edital.pdf', 5),
  attached('a picture of 30,000 x 30,000', 'image', pngOf(30_000)),
  attached(
    'a PDF that lies of its pages',
    'file',
    Buffer.from(
      `%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 999999999/Kids[2 0 R]>>\nendobj\ntrailer\n<</Root 1 0 R/Size 99999999>>\n`,
    ),
  ),
  largePages(1),
  largePages(16),
  evaluated,
  report('1 of 5,000 gaps, with 500 new questions', 'getKnowledgeGaps', 1, withQuestions),
  report('60 of 5,000 gaps, with 500 new questions', 'getKnowledgeGaps', 60, withQuestions),
  report('60 of outcomes that go on changing', 'getOutcomes', 60, (rows, ask) =>
    rows.changeConversations(ask),
  ),
  raw('100,000 chunks of one byte', attacker => chunkedHead(attacker) + '1\r\nx\r\n'.repeat(100_000)),
  agents('1 MiB of distinct values', at => ({
    type: 'string',
    enum: times(60_000, each => `v${at}_${each}`),
  })),
  agents('18,000 distinct values of 50 characters', at => ({
    type: 'string',
    enum: times(18_000, each => `v${at}_${each}${'x'.repeat(42)}`),
  })),
  agents('500 distinct values', at => ({ type: 'string', enum: times(500, each => `v${at}_${each}`) })),
  agents('1 MiB of a keyword', at => ({ type: 'string', pattern: `${at}${'(a+)+'.repeat(150_000)}` })),
  passage('a, 7,998 blanks, a', `a${' '.repeat(7_998)}a`),
  passage('8,000 line ends', `a${'\n'.repeat(7_998)}a`),
  passage('open head', `---\n${'a: b\n'.repeat(1_500)}`),
  passage('8,000 marks', '@/.'.repeat(2_666)),
  passage('8,000 dashes', '-'.repeat(8_000)),
  passage('8,000 quotes', `---\na: ${'"'.repeat(7_990)}`),
  record('19,900 fields', at => crowd(19_900, at)),
  record('2,000 fields of 480 characters', at => crowd(2_000, `${at}${'é'.repeat(240)}`)),
  record('a field of 1 MB', at => ({ '~': at + 'ab '.repeat(340_000) })),
  record('numbers of many digits', at => crowd(4_000, `${at}${'9'.repeat(200)}`)),
  record('a campus of many names', at => Object.fromEntries(times(9_000, n => [`campus_${n}`, `${at}`]))),
  large('1 body of 1 MiB that is taken', 1),
  large('20 bodies of 1 MiB that are taken', 20),
  large('60 bodies of 1 MiB that are taken', 60),
  searched('a word of 40 records of 64 KiB', 'palavra'),
  searched('a part of many words', 'q499'),
  searched('500 letters', 'a'.repeat(500)),
  searched('dots', dots.slice(0, 500)),
];
