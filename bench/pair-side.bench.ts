import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { CRM, deal } from '../test/support/crm.ts';
import { atOnce, startRedis } from './stores.bench.ts';

export interface Side {
  readonly name: string;
  ask(rung: string, at: number): Promise<unknown>;
  /** The processor time of each process since it began. */
  processorMs(): Promise<Readonly<Record<string, number>>>;
}

/** The records of a list. */
export const LISTED = 1_000;
const CONVERSATIONS = 40;
const PUBLIC = '/api/externalAPIs/public';
const TICK_MS = 10;
const questions = [
  'Qual é o horário da secretaria?',
  'Como faço a rematrícula?',
  'Quanto custa a segunda via do boleto?',
  'Onde fica a biblioteca e quantos livros posso pegar?',
  'e aos sábados?',
];

interface Parts {
  readonly name: string;
  /** The folder of the checkout. */
  readonly root: string;
  /** For its data. */
  readonly folder: string;
  readonly store: string;
  readonly baseURL: string;
  readonly connections: number;
  /** What to do at the end, in this order, also where the start fails. */
  readonly atEnd: (() => Promise<unknown>)[];
}

/**
 * Starts the installation of a checkout, without its indexer, with a host that knows lists of records. The checkout may be of
 * an older commit: only its commands, settings and calls are used.
 */
export async function startSide({
  name,
  root,
  folder,
  store,
  baseURL,
  connections,
  atEnd,
}: Parts): Promise<Side> {
  const redis = store === 'redis' ? await startRedis() : undefined;
  const dataDir = join(folder, name);
  const [procfile, mapping] = [join(folder, 'Procfile'), join(folder, 'mapping.json')];
  const lines = (await readFile(join(root, 'Procfile'), 'utf8')).split('\n');
  await writeFile(procfile, lines.filter(line => !line.startsWith('indexer')).join('\n'));
  const fields = { uuid: 'external_id', email: 'email', name: 'firstname', course: 'unidade' };
  await writeFile(mapping, JSON.stringify({ target: 'lead', records: 'leads', fields, required: ['uuid'] }));
  const env = settingsOf({ DATA_DIR: dataDir, REDIS_URL: redis?.redisUrl ?? '', OPENAI_BASE_URL: baseURL });
  const command = ['--enable-source-maps', 'commands/bootstrap.mjs'];
  const launcher = spawn(process.execPath, [...command, '--procfile', procfile], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(launcher, 'exit');
  atEnd.push(async () => (launcher.kill('SIGTERM'), ended));
  if (redis) atEnd.push(redis.stop);
  const greeting = { origin: '', hostId: '' };
  for await (const line of createInterface({ input: launcher.stdout })) {
    greeting.origin ||= /^ {2}address +(\S+)/.exec(line)?.[1] ?? '';
    greeting.hostId ||= /"hostId":"([^"]+)"/.exec(line)?.[1] ?? '';
    if (greeting.hostId) break;
  }
  if (!greeting.hostId) throw new Error(`The installation of ${root} has ended before it was ready.`);
  launcher.stdout.resume();
  const set = ['mapping', 'set', '--host', 'demo', '--kind', 'objects', '--file', mapping];
  await promisify(execFile)(process.execPath, [...command, ...set], { cwd: root, env });
  const token = (await readFile(join(dataDir, 'demo-token'), 'utf8')).trim();
  const pool = new Pool(greeting.origin, { connections, headersTimeout: 0 });
  atEnd.unshift(() => pool.destroy());
  const ask = await makeAsker(pool, greeting.hostId, token);
  return {
    name,
    ask,
    processorMs: async () => ({ ...usedUnder(launcher.pid), redis: (await redis?.processorMs?.()) ?? 0 }),
  };
}

function settingsOf(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const bench = { OPENAI_MODEL: 'bench', OPENAI_API_KEY: 'bench', REQUEST_TIMEOUT_MS: '120000' };
  const unlimited = { RATE_LIMIT_PER_MINUTE: '0', INSIGHT_CONCURRENCY: '0' };
  return { APP_ENV: 'production', PORT: '0', ...bench, ...unlimited, ...own };
}

async function makeAsker(pool: Pool, hostId: string, token: string): Promise<Side['ask']> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = async (path: string, content: object) => {
    const { statusCode, body } = await pool.request({
      path,
      method: 'POST',
      headers,
      body: JSON.stringify(content),
    });
    const answer = (await body.json()) as Record<string, unknown>;
    if (statusCode >= 300) throw new Error(`${path}: ${JSON.stringify(answer).slice(0, 500)}`);
    return answer;
  };
  const call = async (operation: string, body: object = {}) => {
    const { data } = await post(`${PUBLIC}/${operation}`, { hostId, ...body });
    return data as Record<string, unknown>;
  };
  const turn = (of: readonly string[], at: number) => {
    const conversationId = of[at % CONVERSATIONS];
    return call('svcReasoning', { conversationId, question: questions[at % questions.length] });
  };
  const open = async () => (await call('createConversationId', { hostSlug: 'demo' }))['conversationId'];
  const openAll = async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < CONVERSATIONS; nth += 1) ids.push(String(await open()));
    return ids;
  };
  const [conversations, attended] = [await openAll(), await openAll()];
  await atOnce(2 * CONVERSATIONS, 4, async at => void (await turn(conversations, at)));
  for (const conversationId of attended) {
    await call('svcReasoning/updateConversationHelper', { conversationId, ask_human_help: true });
    await call('svcReasoning/appendMessageHelper', { conversationId, author: 'human', content: 'Bom dia!' });
  }
  const { avatarsAdminList } = await call('svcReasoning/avatarsListHelper', { host_slug: 'demo' });
  const [avatar] = (
    avatarsAdminList as { avatars: { avatar_id: string; datasets: { dataset_id: string }[] }[] }
  ).avatars;
  const search = {
    avatar_id: avatar?.avatar_id,
    dataset_ids: avatar?.datasets.map(({ dataset_id }) => dataset_id),
  };
  const rungs: Readonly<Record<string, (at: number) => Promise<unknown>>> = {
    journey: () => call('svcReasoning/modelListHelper'),
    record: at => post(`${CRM}/deals`, deal(at)),
    list: at =>
      post(`${CRM}/objects`, { leads: Array.from({ length: LISTED }, (_, nth) => leadOf(at, nth)) }),
    retrieval: at =>
      call('svcReasoning/chunkReadHelper', { ...search, question: questions[at % questions.length] }),
    silent: at => turn(attended, at),
    turn: at => turn(conversations, at),
  };
  return async (rung, at) => rungs[rung]?.(at);
}

function leadOf(at: number, nth: number) {
  const name = `Pessoa ${nth}`;
  return { uuid: `${at}.${nth}`, email: `p${nth}.${at}@example.com`, name, course: 'Direito', from: 'feira' };
}

const kinds = { web: /api\/main/, worker: /workers\/main/, database: /^postgres|\/postgres/ };

/** What the descendants of a process have used, by kind. */
function usedUnder(root: number | undefined): Record<string, number> {
  const stats = readdirSync('/proc')
    .filter(pid => /^\d+$/.test(pid))
    .flatMap(pid => readStat(pid));
  const used: Record<string, number> = { web: 0, worker: 0, database: 0 };
  const known = new Set([root]);
  for (let size = 0; size < known.size; ) {
    size = known.size;
    for (const { pid, parent } of stats) if (known.has(parent)) known.add(pid);
  }
  for (const { pid, command, ms } of stats)
    for (const [kind, pattern] of Object.entries(kinds))
      if (known.has(pid) && pattern.test(command)) used[kind] = (used[kind] ?? 0) + ms;
  return used;
}

/** Of a process that has just ended, nothing. */
function readStat(pid: string): { pid: number; parent: number; command: string; ms: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    // The name in brackets may contain spaces. The last four are of its own, and of its ended children.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ms = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
    return [{ pid: Number(pid), parent: fields[1] ?? 0, command, ms }];
  } catch {
    return [];
  }
}
