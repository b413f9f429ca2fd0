import { readFile, writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { findAvatar, findAvatarById } from '../db/assistants/avatars.ts';
import { setEvaluationCases } from '../db/assistants/evaluation-cases.ts';
import type { Db } from '../db/connection.ts';
import { withHost } from '../db/with-hosts.ts';
import { readConfig } from '../platform/config.ts';
import { isUuid } from '../platform/uuid.ts';
import { type EvaluationCase, MAX_CASES } from '../queues/contract/operations/evaluation-shape.ts';
import { findDatabaseUrl } from './database-url.ts';
import { parseCases } from './evaluation-file.ts';
import { isGood, parseBaseline, reportOf, tableOf } from './evaluation-report.ts';
import { findHostId } from './find-host.ts';
import { findSecretKey } from './find-secret-key.ts';
import { rehearseCases } from './rehearse-cases.ts';
import { commandActorOf, withDatabase } from './with-database.ts';

interface EvaluateOptions {
  readonly host: string;
  readonly avatar: string;
  readonly file: string;
  readonly baseline?: string;
  readonly report?: string;
  readonly store?: boolean;
  readonly atOnce: number;
}

const AT_ONCE = 16;

const options = new Command('evaluate')
  .description(
    'Rehearses questions with an avatar of a running service and checks the answers; exit code 1 if one fails.',
  )
  .requiredOption('--host <slug>', 'slug of the host')
  .requiredOption('--avatar <sub_slug>', 'sub_slug or id of the avatar')
  .requiredOption('--file <cases.jsonl>', 'one case a line: {question, dialogue?, expect: {…}}')
  .option('--baseline <report.json>', 'an earlier report: cases that passed in it must pass')
  .option('--report <report.json>', 'where to write the report')
  .option('--store', 'also store the cases, for changes with `evaluate: true`, unless one fails')
  .option('--at-once <count>', 'cases that are rehearsed at the same time', countOf, AT_ONCE)
  .parse()
  .opts<EvaluateOptions>();

await withDatabase(db => evaluate(db, options));

async function evaluate(db: Db, options: EvaluateOptions): Promise<void> {
  const { host, file, baseline: earlier, report: path, atOnce } = options;
  const cases = parseCases(await readFile(file, 'utf8'));
  if (options.store && cases.length > MAX_CASES) throw new Error(`At most ${MAX_CASES} cases can be stored.`);
  const baseline = earlier === undefined ? { cases: [] } : parseBaseline(await readFile(earlier, 'utf8'));
  const hostId = await findHostId(db, host);
  const avatar = await requireAvatar(db, hostId, options.avatar);
  const config = readConfig();
  const settings = {
    ...config,
    databaseUrl: await findDatabaseUrl(config),
    secretKey: await findSecretKey(config),
  };
  const startedAt = new Date();
  const verdicts = await rehearseCases(db, settings, { hostId, subSlug: avatar.subSlug }, cases, atOnce);
  const report = reportOf({ host, avatar: avatar.subSlug }, startedAt, verdicts, baseline);
  console.log(tableOf(report));
  if (path !== undefined) await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  if (!isGood(report)) process.exitCode = 1;
  else if (options.store) await storeCases(db, hostId, avatar.id, cases);
}

async function requireAvatar(db: Db, hostId: string, wanted: string) {
  const avatar = await withHost(db, hostId, scope =>
    isUuid(wanted) ? findAvatarById(scope, wanted) : findAvatar(scope, wanted),
  );
  if (!avatar) throw new Error(`The host has no avatar "${wanted}".`);
  return avatar;
}

async function storeCases(db: Db, hostId: string, avatarId: string, cases: readonly EvaluationCase[]) {
  const actor = commandActorOf('evaluate');
  await withHost(db, hostId, scope => setEvaluationCases(scope, avatarId, cases), actor);
  console.log(`${cases.length} cases stored.`);
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 1_000)
    throw new InvalidArgumentError('must be a number from 1 to 1000.');
  return count;
}
