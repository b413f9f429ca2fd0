import { expect } from 'chai';
import * as fc from 'fast-check';
import { insertChunk, readChunks } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { withHost } from '../../db/with-hosts.ts';
import { promptOf } from '../../workers/domain/prompts/prompt.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { searchChunks } from './search-chunks.ts';

/*
 * Time passes by moving expiry dates: an hour later, everything expires an hour earlier. So the service needs no
 * clock that a test may set.
 */

/** The expected knowledge: one chunk per dataset, identified by its mark. */
interface Told {
  readonly mark: string;
  datasetId: string;
  chunkId: string;
  hoursLeft: number;
  isVisible: boolean;
  isDeleted: boolean;
  isLinked: boolean;
  isLinkVisible: boolean;
  isChunkDeleted: boolean;
}

const DATASETS = 4;
const flags = {
  isVisible: ['datasets', 'visible'],
  isDeleted: ['datasets', 'deleted'],
  isLinkVisible: ['dataset_avatars', 'visible'],
  isChunkDeleted: ['chunks', 'deleted'],
} as const;
type Flag = keyof typeof flags;

type Step =
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'expiry'; readonly of: number; readonly hours: number }
  | { readonly kind: 'flag'; readonly of: number; readonly flag: Flag; readonly to: boolean }
  | { readonly kind: 'link'; readonly of: number; readonly to: boolean };

const of = fc.nat(DATASETS - 1);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('expiry' as const), of, hours: fc.integer({ min: -2, max: 8 }) }),
  fc.record({
    kind: fc.constant('flag' as const),
    of,
    flag: fc.constantFrom(...(Object.keys(flags) as Flag[])),
    to: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('link' as const), of, to: fc.boolean() }),
);

describe('knowledge over time', () => {
  const { db } = openOnce(makeDatabase);

  async function build() {
    const host = await buildHost(db);
    const told = await host.inHost(async scope => {
      const made: Told[] = [];
      for (let at = 0; at < DATASETS; at++) {
        const mark = `MARCA${'abcd'[at]}`;
        const { id: datasetId } = await insertDataset(scope, { name: mark });
        await linkDataset(scope, { datasetId, avatarId: host.avatarId });
        const content = `O zepelim parte às 9h. ${mark}`;
        const chunkId = (await insertChunk(scope, { datasetId, content, tokenCount: 9 })) ?? '';
        const state = {
          isVisible: true,
          isDeleted: false,
          isLinked: true,
          isLinkVisible: true,
          isChunkDeleted: false,
        };
        made.push({ mark, datasetId, chunkId, hoursLeft: 1_000_000, ...state });
      }
      return made;
    });
    return { host, told };
  }

  async function take(
    step: Step,
    told: readonly Told[],
    { hostId }: { readonly hostId: string },
  ): Promise<void> {
    if (step.kind === 'wait') {
      for (const one of told) one.hoursLeft -= step.hours;
      await rowsOf(db)`
        update datasets set expires = expires - make_interval(hours => ${step.hours}) where host_id = ${hostId}`;
      return;
    }
    const one = told[step.of];
    if (!one) return;
    const link = { dataset_id: one.datasetId, host_id: hostId };
    if (step.kind === 'expiry') {
      one.hoursLeft = step.hours;
      await rowsOf(db)`
        update datasets set expires = now() + make_interval(hours => ${step.hours}, mins => 30)
        where host_id = ${hostId} and id = ${one.datasetId}`;
    } else if (step.kind === 'link') {
      one.isLinked = step.to;
      await db('dataset_avatars').where(link).update({ deleted: !step.to });
    } else {
      one[step.flag] = step.to;
      const [table, column] = flags[step.flag];
      const where = table === 'datasets' ? { id: one.datasetId } : link;
      await db(table)
        .where(where)
        .update({ [column]: step.to });
    }
  }

  const isReadable = (one: Told) =>
    one.hoursLeft >= 0 &&
    one.isVisible &&
    !one.isDeleted &&
    one.isLinked &&
    one.isLinkVisible &&
    !one.isChunkDeleted;

  it('never reaches a prompt once it has expired, or was hidden, deleted or unlinked, and does until then', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 12 }), async taken => {
        const { host, told } = await build();
        const { hostId, avatarId } = host;
        for (const step of taken) {
          await take(step, told, host);
          const expected = told.filter(isReadable).map(({ mark }) => mark);
          await withHost(db, hostId, async scope => {
            const search = { avatarId, query: 'Quando parte o zepelim?', filterTerms: {}, limit: 10 };
            const passages = (await searchChunks(scope, search)).map(({ body }) => body);
            const prompt = JSON.stringify(
              promptOf({ persona: '', passages, dialogue: [], question: 'E agora?' }),
            );
            expect(prompt.match(/MARCA[a-d]/g)?.toSorted() ?? []).to.deep.equal(expected);
            const datasetIds = told.map(({ datasetId }) => datasetId);
            const page = { limit: 10, offset: 0, maxBytes: 10_000 };
            const read = await readChunks(scope, { avatarId, datasetIds }, page);
            expect(read.map(({ content }) => content.slice(-6)).toSorted()).to.deep.equal(expected);
          });
        }
      }),
      { numRuns: process.env['RUNS'] ? 25 : 8 },
    );
  });
});
