import type { Db } from '../../db/connection.ts';
import { countFeedback, listJudgedWrong } from '../../db/conversations/feedback.ts';
import { listContracts } from '../../db/hosts/contracts.ts';
import type { PageOf, TimeKey } from '../../db/pages.ts';
import { countAnswers, listUnsupportedAnswers } from '../../db/reports/answers.ts';
import { readMissedWindows } from '../../db/reports/missed-windows.ts';
import { readCounts, useOneSnapshot } from '../../db/reports/reports.ts';
import {
  countOutcomes,
  foldServices,
  listHostsWithServicesToFold,
  listServices,
  outcomes,
  readWaits,
  type ServiceOutcome,
  type Wait,
} from '../../db/reports/services.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { isStatementCancelled } from '../../platform/error-reason.ts';
import { fieldFailure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { MAX_IDS } from '../../queues/contract/operations/gap-shape.ts';
import { MAX_WINDOW_HOURS } from '../../queues/contract/operations/host-shape.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { MAX_ANSWER_MESSAGES, MAX_WAITS } from '../../queues/contract/operations/insight-reports.ts';
import { integer, object, oneOf, uuid } from '../../queues/contract/shape.ts';
import { decodeCursor, encodeCursor } from '../bodies/page.ts';
import { contractOn, costOf, costOfEach, decimalOf } from '../domain/pricing.ts';
import type { Handler } from '../runtime/job.ts';
import type { Pools } from '../runtime/pools.ts';
import { type Batch, catchUp, catchUpAll } from './catch-up.ts';
import { type AskedQuestion, dropErased, findMostAsked, readSaid } from './most-asked.ts';
import { type ReportPeriod, readCountedPeriod, readHostPeriod } from './report-period.ts';

type Outcomes = DataOf<'getOutcomes'>;
type Entry = Outcomes['open'];

const lists = [...outcomes, 'waited', 'missed', 'unsupported', 'judged'] as const;
type ListName = (typeof lists)[number];

interface OutcomeKey extends TimeKey {
  readonly outcome: ListName;
}

const keyShape = object({ outcome: oneOf(...lists), at: integer({ min: 0 }), id: uuid() });

/** Fewer long conversations are folded at a time, because all their messages are read. */
const FEW_CHANGES = 5;

const foldBatch: Batch = (db, hostId) =>
  withHost(db, hostId, scope => foldServices(scope)).catch((error: unknown) => {
    if (!isStatementCancelled(error)) throw error;
    return withHost(db, hostId, scope => foldServices(scope, FEW_CHANGES));
  });

/** Counts how the services of all hosts ended, as far as they have changed. */
export async function countAllOutcomes(
  { owner, heavy }: Pick<Pools, 'owner' | 'heavy'>,
  signal: AbortSignal,
): Promise<void> {
  await catchUpAll(heavy, () => listHostsWithServicesToFold(owner), foldBatch, signal);
}

export function makeGetOutcomes(heavy: Db): Handler<'getOutcomes'> {
  return async job => {
    const { hostId, body, read, signal } = job;
    const after =
      body.cursor === undefined ? undefined : decodeCursor<OutcomeKey>(job, keyShape, body.cursor);
    if (body.cursor !== undefined && !after) return fieldFailure('cursor', 'cursor');
    await catchUp(heavy, hostId, foldBatch, signal);
    const asked = body.questions === undefined ? undefined : await findAsked(job, body.questions);
    if (asked && isFailure(asked)) return asked;
    return read(async scope => {
      await useOneSnapshot(scope);
      const period = await readHostPeriod(scope, body);
      if (isFailure(period)) return period;
      const data = await readOutcomes(scope, period, after);
      return { code: 200, data: asked ? { ...data, questions: await dropErased(scope, asked.data) } : data };
    });
  };
}

async function findAsked(
  { body, read, signal }: Parameters<Handler<'getOutcomes'>>[0],
  limit: number,
): Promise<Outcome<AskedQuestion[]>> {
  const said = await read(async scope => {
    const period = await readHostPeriod(scope, body);
    return isFailure(period) ? period : { code: 200, data: await readSaid(scope, period) };
  });
  return isFailure(said) ? said : { code: 200, data: await findMostAsked(said.data, limit, signal) };
}

async function readOutcomes(
  scope: HostScope,
  period: ReportPeriod,
  after: OutcomeKey | undefined,
): Promise<Outcomes> {
  const list = { operation: 'getOutcomes', hostId: scope.hostId } as const;
  const counts = await countOutcomes(scope, period);
  const idsOf = async (outcome: ListName, read: (page: PageOf<TimeKey>) => Promise<TimeKey[]>) => {
    // One extra id tells whether there are more.
    const ids = after && after.outcome !== outcome ? [] : await read({ limit: MAX_IDS + 1, after });
    const shown = ids.slice(0, MAX_IDS);
    const last = shown.at(-1);
    return {
      conversations: shown.map(({ id }) => id),
      nextCursor:
        ids.length > shown.length && last ? encodeCursor(list, { outcome, at: last.at, id: last.id }) : null,
    };
  };
  const entryOf = async (outcome: ServiceOutcome): Promise<Entry> => ({
    count: counts[outcome],
    ...(await idsOf(outcome, page => listServices(scope, outcome, period, page))),
  });
  const resolvedByAssistant = await entryOf('assistant');
  const resolvedWithPerson = await entryOf('human');
  const waits = await readWaits(scope, period, MAX_WAITS);
  const sample = { start: period.start, end: period.end, messages: MAX_ANSWER_MESSAGES };
  const missed = await readMissedWindows(scope, { ...sample, maxHours: MAX_WINDOW_HOURS });
  const answers = await countAnswers(scope, sample);
  const { right, between, wrong } = await countFeedback(scope, period);
  const cost = await readCost(scope, period);
  const resolved = resolvedByAssistant.count + resolvedWithPerson.count;
  return {
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    resolvedByAssistant,
    resolvedWithPerson,
    abandoned: await entryOf('abandoned'),
    reopened: await entryOf('reopened'),
    open: await entryOf('open'),
    secondsUntilPerson: medianOf(waits),
    waited: { count: waits.length, ...(await idsOf('waited', async page => pageOf(waits, page))) },
    missedWindows: {
      count: missed.length,
      ...(await idsOf('missed', async page => pageOf(missed, page))),
    },
    answers: {
      supported: answers.supported,
      approved: answers.approved,
      unsupported: {
        count: answers.unsupported,
        ...(await idsOf('unsupported', page => listUnsupportedAnswers(scope, sample, page))),
      },
    },
    feedback: {
      right,
      between,
      wrong: { count: wrong, ...(await idsOf('judged', page => listJudgedWrong(scope, period, page))) },
    },
    cost: decimalOf(cost),
    costPerResolved: resolved > 0 ? decimalOf(costOfEach(cost, resolved)) : null,
  };
}

function pageOf(rows: readonly TimeKey[], { limit, after }: PageOf<TimeKey>): TimeKey[] {
  const isLater = ({ at, id }: TimeKey) => !after || at < after.at || (at === after.at && id < after.id);
  return rows.filter(isLater).slice(0, limit);
}

function medianOf(waits: readonly Wait[]): number | null {
  const seconds = waits.map(wait => wait.seconds).toSorted((a, b) => a - b);
  const [lower, upper] = [
    seconds[Math.floor((seconds.length - 1) / 2)],
    seconds[Math.floor(seconds.length / 2)],
  ];
  return lower === undefined || upper === undefined ? null : (lower + upper) / 2;
}

/** Returns cents: each day is rounded by itself, as in the report of costs. */
async function readCost(scope: HostScope, period: ReportPeriod): Promise<bigint> {
  const { days } = await readCounts(scope, await readCountedPeriod(scope, period));
  const contracts = await listContracts(scope);
  return days.reduce(
    (sum, { day, services }) => sum + costOf(services, contractOn(contracts, day)?.price ?? '0'),
    0n,
  );
}
