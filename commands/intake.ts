import type { DataOf } from '../queues/contract/operations/index.ts';
import { type Words, wordsOf } from './call-fields.ts';
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

const [word, ...args] = process.argv.slice(2);
const words = wordsOf(args);

if (word === 'replay' && !words.flags.has('help') && !words.flags.has('id')) await replayAll(words);
else await runOldCommand('intake', { list, replay });

/** Replays what `list` shows, in the order of arrival, as many records at a time as one call takes. */
function replayAll({ first, flags }: Words): Promise<void> {
  return withDatabase(async db => {
    const records = (await readItems(db, list, { first, flags })) as Received;
    const ids = records.map(({ recordId }) => recordId).toReversed();
    for (let at = 0; at < ids.length; at += MAX_REPLAYED) {
      const some = new Map([...flags].filter(([flag]) => flag === 'host')).set(
        'id',
        ids.slice(at, at + MAX_REPLAYED),
      );
      printTable(await readItems(db, replay, { first, flags: some }));
    }
  });
}
