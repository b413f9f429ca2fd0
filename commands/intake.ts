import type { DataOf } from '../queues/contract/operations/index.ts';
import { wordsOf } from './call-fields.ts';
import { describeOperation } from './call-help.ts';
import { type OldCommand, printTable, readItems, runOldCommand } from './old-command.ts';
import { withDatabase } from './with-database.ts';

type Received = DataOf<'listIntakeRecords'>['items'];
type Replayed = DataOf<'replayRecords'>['items'];

const MAX_REPLAYED = 100;

const list: OldCommand = {
  operation: 'listIntakeRecords',
  names: { state: 'fate' },
  adds: { fate: ['received', 'refused', 'failed'], limit: ['100'] },
  print: (records: Received) => records.map(({ body: _, ...record }) => record),
};
const replay: OldCommand = {
  operation: 'replayRecords',
  names: { id: 'recordIds' },
  print: ({ items }: { readonly items: Replayed }) => items,
};

await runOldCommand('intake', { list, replay: replayAll });

/** Replays the named records, or those that `list` shows, in the order of arrival: as many at a time as one call takes. */
async function replayAll(args: readonly string[]): Promise<void> {
  const { first, flags } = wordsOf(args);
  if (flags.has('help')) return console.log(describeOperation(replay.operation));
  await withDatabase(async db => {
    const listed = async () => (await readItems(db, list, { first, flags })) as Received;
    const ids = flags.get('id') ?? (await listed()).map(({ recordId }) => recordId).toReversed();
    for (let at = 0; at < ids.length; at += MAX_REPLAYED) {
      const some = new Map([...flags].filter(([flag]) => flag === 'host')).set(
        'id',
        ids.slice(at, at + MAX_REPLAYED),
      );
      printTable(await readItems(db, replay, { first, flags: some }));
    }
  });
}
