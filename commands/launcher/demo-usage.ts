import { join } from 'node:path';
import { connect } from '../../db/connection.ts';
import { findHostBySlug } from '../../db/hosts.ts';
import { PUBLIC, SVC } from '../../queues/contract/operations/paths.ts';
import { DEMO_TOKEN, ensureDemoToken } from './demo-token.ts';

/** What the commands of a first question name. */
export interface UsageInput {
  readonly base: string;
  readonly dataDir: string;
  /** False where standard output is a file or a log; then it says where the secrets are stored. */
  readonly showsSecrets: boolean;
}

interface Demo {
  readonly hostId: string;
  readonly token: string;
}

export async function demoOf(databaseUrl: string, dataDir: string): Promise<Demo | undefined> {
  const db = connect(databaseUrl, { max: 1, applicationName: 'parley-launcher' });
  try {
    const host = await findHostBySlug(db, 'demo');
    return host && { hostId: host.id, token: await ensureDemoToken(db, host.id, dataDir) };
  } finally {
    await db.destroy();
  }
}

/** The commands of a first question. A conversation is started, so that the question can be pasted as it is. */
export async function usageOf(
  { base, dataDir, showsSecrets }: UsageInput,
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
