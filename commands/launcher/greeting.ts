import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../db/connection.ts';
import { findHostBySlug } from '../../db/hosts.ts';
import { demoToken } from './demo-token.ts';

const LOOK_AGAIN_MS = 100;
const PUBLIC = '/api/externalAPIs/public';

export interface Greeted {
  readonly base: string;
  readonly opsPassword: string | undefined;
  /** Set where the database is ours alone, and so has a demonstration host. */
  readonly embedded: { readonly databaseUrl: string; readonly dataDir: string } | undefined;
}

/** Waits until the service is ready; then gives all that a person needs to use it, for the terminal alone. */
export async function greetingOf(
  { base, opsPassword, embedded }: Greeted,
  stop: AbortSignal,
): Promise<string> {
  while (!(await isReady(base, stop))) await pause(LOOK_AGAIN_MS, undefined, { signal: stop });
  const demo = embedded && (await demoOf(embedded.databaseUrl, embedded.dataDir));
  const board = opsPassword && `  queue board  ${base}/admin/queues (user ops, password ${opsPassword})`;
  const places = [
    `  address      ${base}`,
    `  API page     ${base}/docs`,
    `  console      ${base}/console`,
    board,
  ];
  const use = demo ? await usageOf(base, demo, stop) : ['A token: npm run token -- create --host <slug>'];
  return ['', 'Parley is ready.', '', ...places, '', ...use, '']
    .filter(line => line !== undefined)
    .join('\n');
}

interface Demo {
  readonly hostId: string;
  readonly token: string;
}

async function demoOf(databaseUrl: string, dataDir: string): Promise<Demo | undefined> {
  const db = connect(databaseUrl, { max: 1, applicationName: 'parley-launcher' });
  try {
    const host = await findHostBySlug(db, 'demo');
    return host && { hostId: host.id, token: await demoToken(db, host.id, dataDir) };
  } finally {
    await db.destroy();
  }
}

/** A conversation is started here, so that the question can be pasted as it stands. */
async function usageOf(base: string, { hostId, token }: Demo, signal: AbortSignal): Promise<string[]> {
  const start = { url: `${base}${PUBLIC}/createConversationId`, body: { hostId, hostSlug: 'demo' } };
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(start.url, {
    method: 'POST',
    headers,
    body: JSON.stringify(start.body),
    signal,
  });
  const answered: { data?: { conversationId?: string } } = JSON.parse(await answer.text());
  const conversationId = answered.data?.conversationId;
  if (!conversationId) throw new Error(`${start.url} answered ${answer.status}`);
  const question = { hostId, conversationId, question: 'Qual é o horário da secretaria?' };
  const ask = { url: `${base}${PUBLIC}/svcReasoning`, body: question };
  return [
    `  demo token   ${token}`,
    '',
    'Start a conversation (the one below is started already), and ask:',
    '',
    ...[start, ask].map(({ url, body }) => curlOf(url, token, body)),
  ];
}

function curlOf(url: string, token: string, body: unknown): string {
  const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  return `curl -sS ${url} \\\n  ${headers} \\\n  -d '${JSON.stringify(body)}'\n`;
}

async function isReady(base: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`${base}/health/ready`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}
