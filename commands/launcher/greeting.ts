import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../../db/connection.ts';
import { findHostBySlug } from '../../db/hosts.ts';
import { PUBLIC, SVC } from '../../queues/contract/operations/paths.ts';
import { DEMO_TOKEN, ensureDemoToken } from './demo-token.ts';

const POLL_EVERY_MS = 100;

export interface GreetingInput {
  readonly base: string;
  readonly opsPassword: string | undefined;
  readonly dataDir: string;
  /** False where standard output is a file or a log; then it says where the secrets are stored. */
  readonly showsSecrets: boolean;
  /** Set for the embedded database, which has a demonstration host. */
  readonly embedded: { readonly databaseUrl: string } | undefined;
}

/** Waits until the service is ready; returns what a person needs to use it. */
export async function composeGreeting(input: GreetingInput, stop: AbortSignal): Promise<string> {
  const { base, dataDir, embedded } = input;
  while (!(await isReady(base, stop))) await delay(POLL_EVERY_MS, undefined, { signal: stop });
  const demo = embedded && (await demoOf(embedded.databaseUrl, dataDir));
  const places = [
    `  address      ${base}`,
    `  API page     ${base}/docs`,
    `  console      ${base}/console`,
    ...boardOf(input),
  ];
  const use = demo ? await usageOf(input, demo, stop) : ['A token: npm run token -- create --host <slug>'];
  return ['', 'Parley is ready.', '', ...places, '', ...use, ''].join('\n');
}

function boardOf({ base, opsPassword, dataDir, showsSecrets, embedded }: GreetingInput): string[] {
  if (opsPassword === undefined) return [];
  const location = embedded
    ? `unless OPS_PASSWORD is set, in ${join(dataDir, 'ops-password')}`
    : 'OPS_PASSWORD';
  const password = showsSecrets ? opsPassword : location;
  return [`  queue board  ${base}/admin/queues (user ops, password ${password})`];
}

interface Demo {
  readonly hostId: string;
  readonly token: string;
}

async function demoOf(databaseUrl: string, dataDir: string): Promise<Demo | undefined> {
  const db = connect(databaseUrl, { max: 1, applicationName: 'parley-launcher' });
  try {
    const host = await findHostBySlug(db, 'demo');
    return host && { hostId: host.id, token: await ensureDemoToken(db, host.id, dataDir) };
  } finally {
    await db.destroy();
  }
}

/** The commands of a first question. A conversation is started, so that the question can be pasted as it is. */
async function usageOf(
  { base, dataDir, showsSecrets }: GreetingInput,
  { hostId, token }: Demo,
  signal: AbortSignal,
): Promise<string[]> {
  const start = { url: `${base}${PUBLIC}/createConversationId`, body: { hostId, hostSlug: 'demo' } };
  const started = await startConversation(start, token, signal).catch(() => undefined);
  const conversationId = started ?? '<the conversationId of the answer>';
  const question = { hostId, conversationId, question: 'Qual é o horário da secretaria?' };
  const ask = { url: `${base}${SVC}`, body: question };
  const path = join(dataDir, DEMO_TOKEN);
  const shown = showsSecrets ? token : `$(cat '${path}')`;
  return [
    `  demo token   ${showsSecrets ? token : `in ${path}`}`,
    '',
    `Start a conversation${started ? ' (the one below is started already)' : ''}, and ask:`,
    '',
    ...[start, ask].map(({ url, body }) => curlOf(url, shown, body)),
  ];
}

async function startConversation(
  { url, body }: { readonly url: string; readonly body: object },
  token: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  const answered: { data?: { conversationId?: string } } = JSON.parse(await answer.text());
  return answered.data?.conversationId;
}

function curlOf(url: string, token: string, body: unknown): string {
  const headers = `-H "Authorization: Bearer ${token}" -H 'Content-Type: application/json'`;
  return `curl -sS ${url} \\\n  ${headers} \\\n  -d '${JSON.stringify(body)}'\n`;
}

async function isReady(base: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`${base}/health/ready`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}
