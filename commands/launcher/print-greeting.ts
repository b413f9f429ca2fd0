import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Db } from '../../db/connection.ts';
import { setActor } from '../../db/hosts/actor.ts';
import { findHostBySlug } from '../../db/hosts/hosts.ts';
import { listPeople, setPersonLink } from '../../db/hosts/people.ts';
import { hashOf, makeToken } from '../../db/hosts/token-text.ts';
import { findToken, insertToken } from '../../db/hosts/tokens.ts';
import { CONNECT_WITHIN_MS } from '../../platform/start-attempts.ts';
import { tokenScopes } from '../../queues/contract/operation.ts';
import { PUBLIC, SVC } from '../../queues/contract/operations/paths.ts';
import { expiryOf } from '../../workers/hosts/tokens.ts';
import { openDemoSite } from '../demo/site.ts';
import { commandActorOf } from '../with-database.ts';
import type { RunningParts } from './database-supervisor.ts';
import { printLine } from './print-line.ts';
import { OWN_MACHINE } from './start-parts.ts';

const POLL_EVERY_MS = 100;

/** Secrets go to a terminal only, never into a log. */
export async function printGreeting(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  { database }: RunningParts,
  stop: AbortSignal,
): Promise<void> {
  const embedded = database && { databaseUrl: String(env.DATABASE_URL) };
  const input = {
    base: `http://${addressOf(env.HOST)}:${env.PORT}`,
    opsPassword: env.OPS_PASSWORD,
    model: env.OPENAI_MODEL ?? '',
    dataDir,
    embedded,
    showsSecrets: process.stdout.isTTY,
  };
  try {
    process.stdout.write(await composeGreeting(input, stop));
  } catch (error) {
    if (!stop.aborted)
      printLine(`ready at ${input.base}, but the demonstration cannot be read: ${String(error)}`);
  }
}

function addressOf(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return OWN_MACHINE;
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

interface GreetingInput extends UsageInput {
  readonly opsPassword: string | undefined;
  readonly model: string;
  /** Set for the embedded database, which has a demonstration host. */
  readonly embedded: { readonly databaseUrl: string } | undefined;
}

/** Waits until the service is ready; returns the text that a person needs to use it. */
export async function composeGreeting(input: GreetingInput, stop: AbortSignal): Promise<string> {
  const { base, dataDir, embedded, model } = input;
  while (!(await isReady(base, stop))) await delay(POLL_EVERY_MS, undefined, { signal: stop });
  const demo = embedded && (await openDemo({ databaseUrl: embedded.databaseUrl, dataDir, base }, stop));
  const addresses = [
    `  address      ${base}`,
    `  API page     ${base}/docs`,
    ...consoleOf(input, demo),
    ...(demo?.site === undefined
      ? []
      : [`  a site       ${demo.site} (of an imaginary university, with its chat)`]),
    ...boardOf(input),
    `  model        ${model}`,
    `  data         ${resolve(dataDir)}`,
  ];
  const use = demo
    ? await composeUsage(input, demo, stop)
    : ['A token: npm run token -- create --host <slug>'];
  return [
    '',
    'Parley is ready. Ctrl-C stops it.',
    '',
    ...addresses,
    '',
    ...use,
    ...linkCommandOf(input, demo),
    '',
  ].join('\n');
}

/** The command that makes a link, where none is printed: the secret of a link would stay in a log. */
function linkCommandOf(
  { base, dataDir, showsSecrets, embedded }: GreetingInput,
  demo: Demo | undefined,
): string[] {
  if (demo?.signIn && showsSecrets) return [];
  const folder = embedded ? `DATA_DIR='${resolve(dataDir)}' ` : '';
  const host = demo ? 'demo' : '<slug>';
  return [`A link that signs in to the console: ${folder}npm run token -- link --host ${host} --url ${base}`];
}

function consoleOf({ base, showsSecrets }: GreetingInput, demo: Demo | undefined): string[] {
  const address = `${base}/console`;
  if (!demo) return [`  console      ${address}`];
  const { signIn } = demo;
  if (!signIn || !showsSecrets) return [`  console      ${address} (institution demo, with the demo token)`];
  return [
    `  console      ${address}${signIn.fragment}`,
    `               (signs in once, as ${signIn.name}; each start prints another)`,
  ];
}

function boardOf({ base, opsPassword, dataDir, showsSecrets, embedded }: GreetingInput): string[] {
  if (opsPassword === undefined) return [];
  const location = embedded
    ? `unless OPS_PASSWORD is set, in ${join(dataDir, 'ops-password')}`
    : 'OPS_PASSWORD';
  const password = showsSecrets ? opsPassword : location;
  return [`  queue board  ${base}/admin/queues (user ops, password ${password})`];
}

async function isReady(base: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`${base}/health/ready`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

/** Values in the commands of a first question. */
interface UsageInput {
  readonly base: string;
  readonly dataDir: string;
  /** False if standard output is a file or a log; the text then says where the secrets are stored. */
  readonly showsSecrets: boolean;
}

/** The commands of a first question. They start a conversation, so that a person can paste them unchanged. */
async function composeUsage(
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

/** File name in the data folder. */
const DEMO_TOKEN = 'demo-token';

interface Demo {
  readonly hostId: string;
  readonly token: string;
  /** Undefined if the team of the demonstration host has no admin. */
  readonly signIn: SignIn | undefined;
  /** The address of its site. */
  readonly site: string | undefined;
}

/** A link to the console, for one person and one use. */
interface SignIn {
  readonly name: string;
  /** The part after the address of the console. */
  readonly fragment: string;
}

/** Nobody waits longer before opening a printed link; the next start prints another one. */
const LINK_HOURS = 12;

/** The demonstration host, with a valid token; undefined if there is no such host. */
async function openDemo(
  { databaseUrl, dataDir, base }: Pick<UsageInput, 'dataDir' | 'base'> & { readonly databaseUrl: string },
  stop: AbortSignal,
): Promise<Demo | undefined> {
  const db = connect(databaseUrl, {
    max: 1,
    applicationName: 'parley-launcher',
    acquireWithinMs: CONNECT_WITHIN_MS,
  });
  try {
    const host = await findHostBySlug(db, 'demo');
    if (!host) return undefined;
    const token = await ensureDemoToken(db, host.id, dataDir);
    const signIn = await makeSignIn(db, host.id);
    return { hostId: host.id, token, signIn, site: await openDemoSite({ db, hostId: host.id, base }, stop) };
  } finally {
    await db.destroy();
  }
}

/** Makes a link like an invitation. */
async function makeSignIn(db: Db, hostId: string): Promise<SignIn | undefined> {
  return db.transaction(async tx => {
    const scope = { tx, hostId };
    const admin = (await listPeople(scope)).find(({ role, disabled }) => role === 'admin' && !disabled);
    if (!admin) return undefined;
    await setActor(tx, commandActorOf('start'));
    const { text, hash } = makeToken('lnk');
    await setPersonLink(scope, admin.personId, { hash, hours: LINK_HOURS });
    return { name: admin.name, fragment: `#entrar=${text}` };
  });
}

/** The token of the demonstration host, with all scopes, stored in the data folder; replaced once it is revoked or expired. */
async function ensureDemoToken(db: Db, hostId: string, dataDir: string): Promise<string> {
  const path = join(dataDir, DEMO_TOKEN);
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (await isGood(db, stored)) return stored;
  const { text, hash } = makeToken();
  await db.transaction(async tx => {
    await setActor(tx, commandActorOf('start'));
    // The console uses every scope.
    const rights = { scopes: tokenScopes, expiresAt: expiryOf(), hostIds: [hostId] };
    await insertToken(tx, { name: 'demo', hash, ...rights });
  });
  await writeFile(path, `${text}\n`, { mode: 0o600 });
  return text;
}

async function isGood(db: Db, text: string): Promise<boolean> {
  const hash = hashOf(text);
  const token = hash && (await findToken(db, hash));
  return token !== undefined && !token.revoked && !token.expired;
}
