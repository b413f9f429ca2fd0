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
import { rehearseCases, type Verdict } from './rehearse-cases.ts';
import { commandActorOf, findHostId, findSecretKey, withDatabase } from './with-database.ts';

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

const HEADER = ['verdict', 'case', 'failed checks', 'ms'].join('\t');

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
  const verdicts = await rehearseCases(db, settings, { hostId, subSlug: avatar.sub_slug }, cases, atOnce);
  const report = reportOf({ host, avatar: avatar.sub_slug }, startedAt, verdicts, baseline);
  console.log(tableOf(report));
  if (path !== undefined) await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  if (!isGood(report)) process.exitCode = 1;
  else if (options.store) await storeCases(db, hostId, avatar.avatar_id, cases);
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

/** The report that `--report` writes and `--baseline` reads. */
interface EvaluationReport {
  readonly host: string;
  readonly avatar: string;
  readonly evaluatedAt: string;
  readonly passed: number;
  readonly failed: number;
  /** Cases that passed in the baseline, and fail or are missing now. */
  readonly regressions: readonly string[];
  readonly cases: readonly Verdict[];
}

interface Baseline {
  readonly cases: readonly Pick<Verdict, 'case' | 'passed'>[];
}

function reportOf(
  names: { readonly host: string; readonly avatar: string },
  evaluatedAt: Date,
  cases: readonly Verdict[],
  baseline: Baseline,
): EvaluationReport {
  const passing = new Set(cases.filter(({ passed }) => passed).map(verdict => verdict.case));
  const regressed = baseline.cases.filter(earlier => earlier.passed && !passing.has(earlier.case));
  return {
    ...names,
    evaluatedAt: evaluatedAt.toISOString(),
    passed: passing.size,
    failed: cases.length - passing.size,
    regressions: regressed.map(earlier => earlier.case),
    cases,
  };
}

/** Whether no case failed and none got worse. */
function isGood({ failed, regressions }: EvaluationReport): boolean {
  return failed === 0 && regressions.length === 0;
}

function tableOf({ cases, passed, failed, regressions }: EvaluationReport): string {
  const worse = new Set(regressions);
  const lines = cases.map(verdict => {
    const word = verdict.passed ? 'passed' : worse.has(verdict.case) ? 'REGRESSED' : 'FAILED';
    return [word, quoteTabs(verdict.case), verdict.failed.join(', '), verdict.durationMs].join('\t');
  });
  const known = new Set(cases.map(verdict => verdict.case));
  const missing = regressions.filter(name => !known.has(name));
  return [
    HEADER,
    ...lines,
    ...missing.map(name => ['MISSING', quoteTabs(name), '', ''].join('\t')),
    `${passed} passed, ${failed} failed, ${regressions.length} worse than the baseline.`,
  ].join('\n');
}

function quoteTabs(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, ' ');
}

function parseBaseline(text: string): Baseline {
  const { cases } = (JSON.parse(text) ?? {}) as { readonly cases?: unknown };
  if (!Array.isArray(cases) || !cases.every(isVerdict))
    throw new Error('The baseline is no report of this command.');
  return { cases };
}

function isVerdict(value: unknown): value is Pick<Verdict, 'case' | 'passed'> {
  return typeof value === 'object' && value !== null && 'case' in value && 'passed' in value;
}
