import * as fc from 'fast-check';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import {
  claimEvents,
  queueChannelEvents,
  queueEvents,
  releaseEvents,
  type SearchChange,
  type SearchEvent,
} from '../../db/search/outbox.ts';
import { type SearchTable, searchTables, sourceOf } from '../../db/search/records.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { makeLog } from '../../platform/log.ts';
import { Batcher } from '../../workers/indexer/batcher.ts';
import { flushBatch } from '../../workers/indexer/flush.ts';
import { limitsOf } from '../../workers/indexer/pipeline-limits.ts';
import { reconcileTable } from '../../workers/indexer/reconcile.ts';
import { insertRecord } from '../support/searched-records.ts';

/*
 * A random sequence of changes to the index: records are inserted, changed and deleted; events are duplicated,
 * reordered, late, or lost with their relay; the index itself is damaged, reconciled and rebuilt. At the end, when
 * all events are processed, it must equal a newly built index. It is reconciled first only if events were deleted
 * from the outbox or the index was damaged: nothing else may need that.
 */

export type SearchStep =
  | {
      readonly do: 'insert' | 'update' | 'delete' | 'spoil';
      readonly table: SearchTable;
      readonly at: number;
    }
  | { readonly do: 'say' | 'rename'; readonly at: number }
  | { readonly do: 'index'; readonly share: number }
  | { readonly do: 'repeat' | 'overhear' | 'lose' | 'reconcile' | 'reindex' | 'fill' };

const table = fc.constantFrom(...searchTables);
const at = fc.nat(7);

export const searchSteps: fc.Arbitrary<SearchStep[]> = fc.array(
  fc.oneof<fc.Arbitrary<SearchStep>[]>(
    { arbitrary: fc.record({ do: fc.constant('insert' as const), table, at }), weight: 6 } as never,
    {
      arbitrary: fc.record({ do: fc.constantFrom('update', 'delete', 'spoil'), table, at }),
      weight: 5,
    } as never,
    { arbitrary: fc.record({ do: fc.constantFrom('say', 'rename'), at }), weight: 2 } as never,
    {
      arbitrary: fc.record({ do: fc.constant('index'), share: fc.constantFrom(1, 2, 3) }),
      weight: 3,
    } as never,
    { arbitrary: fc.record({ do: fc.constantFrom('repeat', 'overhear', 'lose') }), weight: 2 } as never,
    { arbitrary: fc.record({ do: fc.constantFrom('reconcile', 'reindex', 'fill') }), weight: 1 } as never,
  ),
  { minLength: 3, maxLength: 14 },
);

const silent: Logger = makeLog('test', 'silent');
const stop = new AbortController().signal;
const MORE_THAN_THERE_ARE = 10_000;

/** Runs one sequence on its own host; returns the differences, empty if there are none. */
export async function indexDifferences(
  db: Db,
  slug: string,
  steps: readonly SearchStep[],
): Promise<unknown[]> {
  const hostId = (await createHost(db, { slug, name: slug }))?.id ?? '';
  const world = new World(db, hostId);
  for (const step of steps) await world.take(step);
  await world.index(1);
  if (steps.some(step => step.do === 'lose' || step.do === 'spoil')) await world.reconcile('different');
  const differences = await differencesOf(db, hostId);
  await db('hosts').where({ id: hostId }).delete();
  await db('search_outbox').where({ host_id: hostId }).delete();
  return differences;
}

class World {
  readonly #db: Db;
  readonly #hostId: string;
  readonly #ids: Record<SearchTable, string[]> = { conversations: [], leads: [], tickets: [] };
  #contact: string | undefined;
  #count = 0;

  constructor(db: Db, hostId: string) {
    this.#db = db;
    this.#hostId = hostId;
  }

  async take(step: SearchStep): Promise<unknown> {
    switch (step.do) {
      case 'insert':
        return this.#ids[step.table].push(
          await insertRecord(this.#db, this.#hostId, step.table, await this.#row(step.table)),
        );
      case 'update':
        return this.#row(step.table).then(row => this.#one(step.table, step.at)?.update(row));
      case 'delete':
        return this.#one(step.table, step.at)?.delete();
      case 'spoil':
        return this.#spoil(step.at);
      case 'say':
        return this.#say(step.at);
      case 'rename':
        return this.#rename(step.at);
      case 'index':
        return this.index(step.share);
      case 'repeat':
        return withHosts(this.#db, [this.#hostId], scope => queueEvents(scope, this.#allChanges()));
      case 'overhear':
        return queueChannelEvents(this.#db, this.#allChanges());
      case 'lose':
        return this.#db('search_outbox').where({ host_id: this.#hostId }).whereRaw('seq % 2 = 0').delete();
      case 'reconcile':
        return this.reconcile('different');
      case 'reindex':
        return this.reconcile('all');
      case 'fill':
        return this.reconcile('missing');
    }
  }

  /**
   * A relay that claims all events and dies after indexing one in `share` of them, in random order, and the first of
   * them twice.
   */
  async index(share: number): Promise<void> {
    const backwards = ({ seq }: SearchEvent) => Array.from(seq).toReversed().join('');
    const lines = (await claimEvents(this.#db, MORE_THAN_THERE_ARE)).toSorted((a, b) =>
      backwards(a).localeCompare(backwards(b)),
    );
    const batcher = new Batcher<SearchEvent>({ batchSize: 7, flushMs: 0 });
    const taken = lines.filter((_, at) => at % share === 0);
    batcher.add([...taken, ...taken.slice(0, 1)], 0);
    const parts = { db: this.#db, log: silent, limits: limitsOf.production, stop };
    for (let batch = batcher.take(1); batch; batch = batcher.take(1)) await flushBatch(batch, parts);
    await releaseEvents(this.#db);
  }

  async reconcile(repair: 'different' | 'missing' | 'all'): Promise<void> {
    const plan = { hostIds: [this.#hostId], repair, pageSize: 3, confirmOrphans: false } as const;
    for (const table of searchTables)
      await reconcileTable({ ...plan, table }, { db: this.#db, log: silent, stop });
  }

  async #row(table: SearchTable): Promise<Record<string, unknown>> {
    this.#count += 1;
    this.#contact ??= await this.#newContact();
    const text = `Matrícula nº ${this.#count} <b>Ação</b>`;
    const own = this.#count % 2 === 0 ? {} : { contact_id: this.#contact };
    if (table === 'conversations') return { ...own, main_topic: text, categories: ['curso'] };
    return {
      ...own,
      ...(table === 'leads' ? { dealname: text } : { subject: text, mobilephone: '11987654321' }),
    };
  }

  async #newContact(): Promise<string> {
    const contact = { host_id: this.#hostId, name: 'Rui', phone: '11912345678' };
    const [{ id }] = await this.#db('contacts').insert(contact).returning('id');
    return id;
  }

  #one(table: SearchTable, at: number) {
    const id = this.#ids[table][at % Math.max(this.#ids[table].length, 1)];
    return id === undefined ? undefined : this.#db(table).where({ host_id: this.#hostId, id });
  }

  async #say(at: number): Promise<void> {
    const ids = this.#ids.conversations;
    const id = ids[at % Math.max(ids.length, 1)];
    await rowsOf(this.#db)`
      insert into messages (host_id, conversation_id, author, content)
      select host_id, id, 'user', ${`Olá ${at}`} from conversations where id = ${id ?? null}`;
  }

  async #rename(at: number): Promise<void> {
    await this.#db('contacts')
      .where({ host_id: this.#hostId })
      .update({ name: `Ana ${at}`, phone: `1191234567${at}` });
  }

  #allChanges(): SearchChange[] {
    return searchTables.flatMap(originTable =>
      this.#ids[originTable].map(originId => ({ originTable, originId, operation: 'DELETE' as const })),
    );
  }

  async #spoil(at: number): Promise<void> {
    const own = () => this.#db('search_records').where({ host_id: this.#hostId });
    if (at % 3 === 0) await own().delete();
    else if (at % 3 === 1) await own().update({ hash: 1, content: 'spoilt' });
    else
      await own()
        .limit(1)
        .update({ origin_id: this.#db.raw('gen_random_uuid()') })
        .catch(() => undefined);
  }
}

/** Rows that differ between the index and a newly built one. */
async function differencesOf(db: Db, hostId: string): Promise<unknown[]> {
  const each = searchTables.map(table => {
    const columns = 'origin_id, title, original, content, vector, phone, phone_key, updated_at, hash';
    const built = `select origin_id, left(title, 200), original, search_text(original), search_vector(search_text(original)),
      search_phone(phone_given), case when search_phone(phone_given) is not null then phone_key(phone_given) end, updated_at,
      hash from ${sourceOf[table].texts[0]} where host_id = :hostId`;
    const kept = `select ${columns} from search_records where host_id = :hostId and origin_table = '${table}'`;
    return db.raw(`((${built}) except (${kept})) union all ((${kept}) except (${built}))`, { hostId });
  });
  return (await Promise.all(each)).flatMap(({ rows }) => rows);
}
