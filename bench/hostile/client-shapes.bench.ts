import { setTimeout as delay } from 'node:timers/promises';
import { PUBLIC, SVC } from '../../queues/contract/operations/paths.ts';
import type { Shape } from './shapes.bench.ts';
import type { Attacker } from './target.bench.ts';

/** Further inputs, which clients, strangers and readers of documents may send; the others are in `shapes`. */

const MIB = 1_048_576;
const READ_WITHIN_MS = 60_000;
const atOnce = (count: number, send: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => send(at)));

/** A document that reaches its reader; the request ends when the import has ended. */
const read = (name: string, content_type: string, content: string): Shape => ({
  name: `document: ${name}`,
  async send({ call, hostId, datasetId }) {
    const list = { hostId, dataset_id: datasetId, limit: 1 };
    const document = { hostId, dataset_id: datasetId, name: 'hostile', external_key: name, content_type };
    const sent = await call(`${SVC}/importDocumentHelper`, { ...document, content });
    const { documentId } = (sent.data ?? {}) as { documentId?: string };
    if (!documentId) return sent;
    for (const end = Date.now() + READ_WITHIN_MS; Date.now() < end; await delay(100)) {
      const { data } = await call(`${SVC}/documentsListHelper`, list);
      const [first] = (data as { items?: { state: string }[] } | undefined)?.items ?? [];
      if (first?.state !== 'waiting' && first?.state !== 'running') break;
    }
    return call(`${SVC}/deleteDocumentHelper`, { hostId, id: documentId });
  },
});

const post = (path: string, body: string, headers: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: x', 'Connection: close', 'Content-Type: application/json', ...headers]
    .concat(`Content-Length: ${Buffer.byteLength(body)}`, '', body)
    .join('\r\n');

/** Streamed turns, each in a new conversation. */
const streams = ({ sendRaw, call, token, hostId }: Attacker, count: number, text: string) =>
  atOnce(count, async at => {
    const made = await call(`${PUBLIC}/createConversationId`, { hostId, hostSlug: 'attacker' });
    const { conversationId } = (made.data ?? {}) as { conversationId?: string };
    const body = JSON.stringify({ hostId, conversationId, question: `${at} ${text}` });
    return sendRaw(post(SVC, body, [`Authorization: Bearer ${token}`, 'Accept: text/event-stream']));
  });

const completions = (name: string, body: () => object, count = 1): Shape => ({
  name: `/v1: ${name}`,
  send: ({ call }) => atOnce(count, () => call('/v1/chat/completions', { model: 'attacker', ...body() })),
});
const said = (count: number, content: string) => ({
  messages: Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} ${content}`,
  })),
});

/** Inputs of unknown senders: without a token, or with a signature that does not fit the address. */
const stranger = (name: string, path: string, body: string, headers: string[], count: number): Shape => ({
  name: `stranger: ${name}`,
  send: ({ sendRaw }) => atOnce(count, () => sendRaw(post(path, body, headers))),
});
const signed = [
  'webhook-id: msg_1',
  `webhook-timestamp: ${Math.floor(Date.now() / 1_000)}`,
  `webhook-signature: ${'v1,AAAA '.repeat(500).trim()}`,
];
const signedPath = '/api/integrations/crm/internal/in/00000000-0000-4000-8000-000000000000';

const identifiers = 'CPF 529.982.247-25, ana@exemplo.com, (11) 98888-7777, ';
const row = `<tr>${'<td>1</td>'.repeat(20)}</tr>`;
const spans = `<tr>${'<td colspan="1000" rowspan="1000">a</td>'.repeat(20)}</tr>`;

export const clientShapes: readonly Shape[] = [
  read('a table of 80,000 cells', 'text/html', `<table>${row.repeat(4_000)}</table>`),
  read('a table of spans', 'text/html', `<table>${spans.repeat(500)}</table>`),
  read('tables in tables', 'text/html', '<table><tr><td>a'.repeat(20_000)),
  read('400,000 short lines', 'text/plain', 'a\n'.repeat(400_000)),
  read('200,000 headings', 'text/markdown', '# a\n'.repeat(200_000)),
  read('200,000 rows of CSV', 'text/csv', `a;b\n${'1;2\n'.repeat(200_000)}`),
  completions('1 MB of history in 20,000 messages', () => said(20_000, 'a')),
  completions('100 histories of 900 kB', () => said(60, 'A secretaria atende. '.repeat(700)), 100),
  {
    name: 'streams: 100 at once',
    send: attacker => streams(attacker, 100, 'oi'),
  },
  {
    name: 'streams: 60 masked, with 300 identifiers each',
    async send(attacker) {
      await attacker.setMask(true);
      const replies = await streams(attacker, 60, identifiers.repeat(100));
      await attacker.setMask(false);
      return replies;
    },
  },
  stranger('300 bodies of 1 MB without a token', SVC, `{"question":"${'x'.repeat(MIB - 500)}"}`, [], 300),
  stranger('2,000 unknown tokens', SVC, '{}', ['Authorization: Bearer pk_unknown'], 2_000),
  stranger('200 signed records of 1 MB', signedPath, `{"a":"${'x'.repeat(MIB - 500)}"}`, signed, 200),
];
