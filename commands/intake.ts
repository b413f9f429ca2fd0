import { Command, InvalidArgumentError, Option } from 'commander';
import { type Db, isDatabaseOutage } from '../db/connection.ts';
import {
  type IntakeState,
  intakeStates,
  type ListedRecord,
  listRecords,
} from '../db/intake/intake-records.ts';
import { withHost } from '../db/with-hosts.ts';
import { reasonOf } from '../platform/error-reason.ts';
import { isUuid } from '../platform/uuid.ts';
import { isFailure } from '../queues/contract/failure.ts';
import { recordKinds } from '../workers/domain/crm/mapping.ts';
import { mapStoredRecord } from '../workers/intake/map-stored-record.ts';
import { findHostId, withDatabase } from './with-database.ts';

interface IntakeOptions {
  readonly host: string;
  readonly kind?: string;
  readonly state?: IntakeState;
  readonly id?: string;
  readonly limit?: number;
}

/** States of unfinished records. */
const unfinished: readonly IntakeState[] = ['received', 'refused', 'failed'];
const HEADER = ['id', 'arrived', 'kind', 'state', 'status', 'why'].join('\t');
const REPLAY_HEADER = ['id', 'kind', 'outcome', 'why'].join('\t');
const MAX_REPLAYED = 100_000;

const program = new Command('intake').description('Intake: records of a CRM and their results.');

addFilterOptions(
  program.command('list').description('Lists records that are not done, or those of a state; oldest first.'),
)
  .option('--limit <count>', 'maximum number of records', countOf, 100)
  .action((options: IntakeOptions) => withDatabase(db => list(db, options)));

addFilterOptions(
  program
    .command('replay')
    .description('Processes stored records with the current mapping; later arrivals are not overwritten.'),
)
  .option('--id <id>', 'one record, in any state', idOf)
  .action((options: IntakeOptions) => withDatabase(db => replay(db, options)));

await program.parseAsync();

function addFilterOptions(command: Command): Command {
  return command
    .requiredOption('--host <slug>', 'slug of the host')
    .addOption(new Option('--kind <kind>', 'kind of record').choices(recordKinds))
    .addOption(new Option('--state <state>', 'state of the record').choices(intakeStates));
}

async function list(db: Db, options: IntakeOptions): Promise<void> {
  const { records } = await selectRecords(db, options);
  console.log([HEADER, ...records.map(lineOf)].join('\n'));
}

async function replay(db: Db, options: IntakeOptions): Promise<void> {
  const { hostId, states, records } = await selectRecords(db, { ...options, limit: MAX_REPLAYED });
  let done = 0;
  if (records.length > 0) console.log(REPLAY_HEADER);
  for (const { id, kind } of records) {
    const outcome = await mapStoredRecord(db, hostId, id, states).catch((error: unknown) => {
      if (isDatabaseOutage(error)) throw error;
      // A record that cannot be stored must not stop those behind it.
      console.log([id, kind, 'failed', reasonOf(error)].join('\t'));
      process.exitCode = 1;
      return undefined;
    });
    if (!outcome) continue;
    if (!isFailure(outcome)) done += 1;
    const fields = isFailure(outcome) ? (outcome.data?.fields ?? []) : [];
    const why = isFailure(outcome) ? [outcome.message, ...fields.map(({ path }) => path)].join(': ') : '';
    console.log([id, kind, isFailure(outcome) ? 'refused' : 'done', why].join('\t'));
  }
  console.log(`Records of host "${options.host}" replayed: ${done} of ${records.length} done.`);
}

async function selectRecords(db: Db, options: IntakeOptions) {
  const { host, kind, state, id, limit } = options;
  const anyState = id === undefined ? unfinished : intakeStates;
  const states = state === undefined ? anyState : [state];
  const hostId = await findHostId(db, host);
  const records = await withHost(db, hostId, scope => listRecords(scope, { states, kind, id, limit }));
  if (id !== undefined && records.length === 0) throw new Error('There is no such record.');
  return { hostId, states, records };
}

function lineOf({ id, kind, state, status, createdAt, reasons, warnings }: ListedRecord): string {
  const why = [
    ...reasons.map(({ path, message }) => `${path} ${message}`.trim()),
    ...warnings.map(({ field, message }) => `${field} ${message}`),
  ];
  return [id, createdAt.toISOString(), kind, state, status ?? '', why.join('; ')].join('\t');
}

function idOf(value: string): string {
  if (isUuid(value)) return value;
  throw new InvalidArgumentError('Give the id that the list shows.');
}

function countOf(value: string): number {
  const count = Number(value);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Give a whole number from 1.');
}
