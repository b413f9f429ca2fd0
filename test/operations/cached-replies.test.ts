import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { updateAvatar } from '../../db/assistants/avatars.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import type { Job } from '../../queues/transport/consumer.ts';
import type { Handlers, JobOf } from '../../workers/runtime/job.ts';
import { cacheOf, makeJobHandler } from '../../workers/runtime/job-handler.ts';
import { bodySchemaOf, type Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { runIn, table } from '../support/statements.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

/** Sequences of edits; `npm run test:long` makes a hundred. */
const RUNS = Number(process.env['RUNS'] ?? 5);

const noOutage = { noteFailure: () => {}, noteSuccess: () => {} };

describe('a cached reply', () => {
  const service = openService();
  const { db, demo, acme } = service;

  const edit = async (avatar_id: string, body: Fields, host = demo): Promise<Fields> =>
    (await host.call('editAvatar', { avatar_id, ...body })).body.data;
  const newAvatar = async (host = demo): Promise<string> => {
    const body = { sub_slug: `a${randomUUID()}`, avatar_name: 'Lia' };
    return (await host.call('createSubAvatar', body)).body.data.avatar_id;
  };
  const cached = (avatar_id: string) => db('replies').where({ about: avatar_id });
  const keptNames = async (id: string) => (await cached(id)).map(({ outcome }) => outcome.data.avatar_name);
  /** The time has microseconds. */
  const writtenAt = async (id: string): Promise<string> =>
    (await db('avatars').where({ id }).first(db.raw('updated_at::text as at'))).at;

  it('answers the very same body without a second effect, for half an hour', async () => {
    const id = await newAvatar();
    const first = await edit(id, { avatar_name: 'Eva' });
    const before = await writtenAt(id);
    expect(await edit(id, { avatar_name: 'Eva' })).to.deep.equal(first);
    expect(await writtenAt(id)).to.equal(before);
    const [{ created_at, expires_at }] = await cached(id);
    expect(Number(expires_at) - Number(created_at)).to.equal(30 * 60_000);
    await cached(id).update({ expires_at: db.fn.now() });
    expect(await edit(id, { avatar_name: 'Eva' })).to.deep.equal(first);
    expect(await writtenAt(id)).to.not.equal(before);
  });

  it('is of that body alone: one field more, less or different is another question', async () => {
    const id = await newAvatar();
    const named = { avatar_name: 'Eva' };
    for (const body of [named, { ...named, model: 'scripted' }, { avatar_name: 'Eva ' }, {}]) {
      const before = await writtenAt(id);
      expect(await edit(id, body)).to.include(body);
      expect(await writtenAt(id)).to.not.equal(before);
    }
  });

  it('goes with any write to its object, whoever writes, and stays with a write to another', async () => {
    const [id, other, theirs] = [await newAvatar(), await newAvatar(), await newAvatar(acme)];
    await edit(id, { avatar_name: 'Eva' });
    await edit(theirs, { avatar_name: 'Eva' }, acme);
    await edit(other, { avatar_name: 'Bia' });
    expect(await cached(id)).to.have.length(1);
    await db('avatars').where({ id }).update({ name: 'Rui' });
    expect(await cached(id)).to.have.length(0);
    expect([await cached(other), await cached(theirs)].map(rows => rows.length)).to.deep.equal([1, 1]);
    expect(await edit(id, { avatar_name: 'Eva' })).to.include({ avatar_name: 'Eva' });
    await db('avatars').where({ id }).delete();
    expect(await cached(id)).to.have.length(0);
  });

  it('does not stand in the way of a key: its answer is kept under it', async () => {
    const id = await newAvatar();
    const headers = { 'idempotency-key': randomUUID() };
    const name = (avatar_name: string) =>
      demo.call('editAvatar', { avatar_id: id, avatar_name }, { headers });
    await edit(id, { avatar_name: 'Eva' });
    const first = await name('Eva');
    await edit(id, { avatar_name: 'Rui' });
    expect((await name('Eva')).body).to.deep.equal(first.body);
    expect((await name('x')).status).to.equal(422);
  });

  it('is true after any sequence of edits', async () => {
    const change = fc.constantFrom<Fields>(
      {},
      { avatar_name: 'Eva' },
      { avatar_name: 'Rui' },
      { prompt_envelop: 'Oi' },
      { prompt_envelop: '', avatar_name: 'Rui' },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 10 }), async changes => {
        const id = await newAvatar();
        let expected: Fields = { avatar_name: 'Lia', prompt_envelop: '' };
        for (const each of changes) {
          expected = { ...expected, ...each };
          expect(await edit(id, each)).to.include(expected);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is true after many edits at once, and there is one at most', async () => {
    const id = await newAvatar();
    const names = ['Ana', 'Bia', 'Eva', 'Ana', 'Rui', 'Bia', 'Eva', 'Rui'];
    await Promise.all(names.map(avatar_name => edit(id, { avatar_name })));
    const { name } = await db('avatars').where({ id }).first('name');
    expect(await keptNames(id)).to.deep.equal([name]);
  });

  describe('of what is only read', () => {
    const run = (avatar_id: string): Job =>
      ({
        operation: 'editAvatar',
        queue: 'catalog',
        jobId: `k${randomUUID()}`,
        body: { host_id: demo.hostId, avatar_id },
        caller: { hostIds: [demo.hostId] },
        signal: new AbortController().signal,
        lendSlot: () => () => {},
      }) as unknown as Job;
    /** Returns the avatar's name as read; `meanwhile` runs after the read. */
    const answering = (meanwhile: (tx: HostScope['tx']) => Promise<unknown> = async () => {}) => {
      const handler = (job: JobOf<'editAvatar'>) =>
        job.read(async ({ tx }) => {
          const [{ name }] = await runIn(
            tx,
            table('avatars').where({ id: job.body.avatar_id }).select('name'),
          );
          await meanwhile(tx);
          return { code: 200 as const, data: name };
        });
      const handlers = { editAvatar: handler } as unknown as Handlers;
      const jobHandler = makeJobHandler(db, handlers, noOutage);
      return async (id: string) => (await jobHandler.handle(run(id))) as { data: string };
    };
    const rename = (id: string, name: string) =>
      demo.inHost(scope => updateAvatar(scope, id, { avatar_name: name }));

    it('is kept, and given again until there is a write', async () => {
      const id = await newAvatar();
      expect((await answering()(id)).data).to.equal('Lia');
      const unasked = () => Promise.reject(new Error('asked again'));
      expect((await answering(unasked)(id)).data).to.equal('Lia');
      await rename(id, 'Eva');
      expect((await answering()(id)).data).to.equal('Eva');
    });

    it('does not outlive a write that came while it was read', async () => {
      const id = await newAvatar();
      let renaming: Promise<unknown> = Promise.resolve();
      const meanwhile = async (tx: HostScope['tx']) => {
        renaming = demo.call('editAvatar', { avatar_id: id, avatar_name: 'Eva' });
        await waitForLock(tx);
      };
      expect((await answering(meanwhile)(id)).data).to.equal('Lia');
      await renaming;
      expect(await keptNames(id)).to.deep.equal(['Eva']);
    });

    it('is not kept while somebody writes, and does not wait for that', async () => {
      const id = await newAvatar();
      const writer = await db.transaction();
      await writer('avatars').where({ id }).update({ name: 'Eva' });
      expect((await answering()(id)).data).to.equal('Lia');
      await writer.commit();
      expect(await cached(id)).to.have.length(0);
      expect((await answering()(id)).data).to.equal('Eva');
    });

    it('is not kept where there is no such object', async () => {
      const handlers = {
        editAvatar: (job: JobOf<'editAvatar'>) => job.read(async () => ({ code: 200, data: 'x' })),
      } as unknown as Handlers;
      const id = randomUUID();
      await makeJobHandler(db, handlers, noOutage).handle(run(id));
      expect(await cached(id)).to.have.length(0);
    });
  });

  it('goes with a write to the conversation that it is about', async () => {
    const id = await service.newConversation();
    const reply = { host_id: demo.hostId, job_id: 'c1', operation: 'x', code: 200, kept: true };
    const inAnHour = db.raw(`now() + interval '1h'`);
    await db('replies').insert({ ...reply, outcome: '{}', expires_at: inAnHour, about: id });
    await service.ask('Oi?', { conversationId: id });
    expect(await cached(id)).to.have.length(0);
  });
});

describe('the place of a cached reply', () => {
  const keyOf = (body: unknown) => cacheOf({ operation: 'editAvatar', body })?.key;

  it('is the same for the same body, another for any other, and never that of a job', () => {
    const body = fc.record({ avatar_id: fc.uuid(), avatar_name: fc.string() });
    fc.assert(
      fc.property(body, body, (one, other) => {
        expect(keyOf(structuredClone(one))).to.equal(keyOf(one));
        expect(keyOf(one) === keyOf(other)).to.equal(JSON.stringify(one) === JSON.stringify(other));
        expect(keyOf(one)).to.match(/^c[0-9a-f]{40}$/);
      }),
    );
  });

  it('is there for operations that declare a cache alone, which need the id that it is about', () => {
    for (const name of operationNames) {
      const { cache, hosts } = operationOf(name);
      expect(cacheOf({ operation: name, body: {} }) !== undefined, name).to.equal(cache !== undefined);
      if (!cache) continue;
      const { properties, required } = bodySchemaOf(name);
      expect(properties?.[cache.idField]?.format, name).to.equal('uuid');
      expect(required, name).to.include(cache.idField);
      expect(hosts, name).to.equal('one');
    }
  });
});
