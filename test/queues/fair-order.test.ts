import { expect } from 'chai';
import type { Backend } from '../../queues/transport/backend.ts';
import { type HostShare, LOWER_ABOVE } from '../../queues/transport/fair-order.ts';
import { jobOptions } from '../../queues/transport/job-limits.ts';
import type { ParleyQueue } from '../../queues/transport/parts.ts';
import { openEach } from '../support/opened.ts';
import { openOwnQueue, ownStore } from './own-store.ts';

const data = { requestId: 'r', deadline: 0, sealed: '', replyTo: 'requester' };
const dataOf = (host: string) => ({ ...data, hostId: host });
const idOf = (host: string, at: number) => `${host}-${at}`;
const hostOf = (id: string) => id.slice(0, id.indexOf('-'));

describe(`the turns of several hosts on ${ownStore.name}`, () => {
  const { backend: web, queue, openWorker, openBeside } = openOwnQueue('turns');
  /** Each of them takes one job each time it is asked to. */
  const worker = openEach(() => openWorker(1));
  let tokens = 0;

  const addTo = (backend: Backend, to: ParleyQueue, host: string, ats: readonly number[], share = 1) => {
    const job = { name: 'reason', data: dataOf(host), hostShare: { host, share } } as const;
    return Promise.all(ats.map(at => backend.addJob(to, { ...job, jobId: idOf(host, at) })));
  };
  const numbersFrom = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);
  /** In their order: on PostgreSQL a `web` adds 8 with a statement, and two statements at once. */
  const add = async (host: string, count: number, { share = 1, from = 0 } = {}) => {
    const ats = numbersFrom(from, count);
    for (let at = 0; at < count; at += 8) await addTo(web, queue, host, ats.slice(at, at + 8), share);
  };
  const take = async (count: number, by = worker) => {
    const taken: string[] = [];
    for (let at = 0; at < count; at += 1) {
      tokens += 1;
      const [, id] = await by.getBackend().moveToActive(`token:${tokens}`);
      if (id) taken.push(id as string);
    }
    return taken;
  };
  const countOf = (taken: readonly string[], host: string) => taken.filter(id => hostOf(id) === host).length;
  const idsOf = (host: string, from: number, to: number) =>
    numbersFrom(from, to - from).map(at => idOf(host, at));

  it('are taken from a host of which nothing waits before 200 of another', async () => {
    await add('loud', 200);
    await take(20);
    await add('quiet', 1);
    expect(await take(1)).to.deep.equal([idOf('quiet', 0)]);
    await add('quiet', 1, { from: 1 });
    await add('other', 1);
    const next = await take(3);
    expect(next).to.include.members([idOf('other', 0), idOf('quiet', 1)]);
    expect(await take(5)).to.deep.equal(idsOf('loud', 21, 26));
  });

  it('are taken from a host of which nothing waits before the first that waits of another, whose others run', async () => {
    await add('loud', 3);
    await take(3);
    await add('loud', 2, { from: 3 });
    await add('quiet', 1);
    // The take after the last job of a queue takes nothing.
    expect(await take(4)).to.deep.equal([idOf('quiet', 0), idOf('loud', 3), idOf('loud', 4)]);
  });

  it('are taken in the order of each host, none of them is forgotten, and none is taken twice', async () => {
    await add('one', 30);
    await take(7);
    await add('two', 20, { share: 3 });
    await add('one', 10, { from: 30 });
    const taken = await take(60);
    expect(taken.filter(id => hostOf(id) === 'one')).to.deep.equal(idsOf('one', 7, 40));
    expect(taken.filter(id => hostOf(id) === 'two')).to.deep.equal(idsOf('two', 0, 20));
  });

  it('are taken in proportion to the shares of ten hosts, whoever sent first', async () => {
    const shares = numbersFrom(1, 10);
    for (const share of shares) await add(`share${share}`, 60, { share });
    const taken = await take(5 * 55);
    for (const share of shares)
      expect(countOf(taken, `share${share}`), `share ${share}`).to.be.within(5 * share - 1, 5 * share + 1);
  });

  it('are taken alike from two hosts, of which one sends through two processes at once', async () => {
    const second = await openBeside();
    const half = numbersFrom(0, 40);
    await Promise.all([
      ...half.map(at => addTo(web, queue, 'twice', [at])),
      ...half.map(at => addTo(second.backend, second.queue, 'twice', [100 + at])),
    ]);
    await add('once', 80);
    expect(countOf(await take(40), 'once')).to.be.within(19, 21);
  });

  it('keep their order when what is stored of it is lost, and nobody starves', async () => {
    await add('loud', 60);
    await take(30);
    await ownStore.loseFairOrder();
    await add('quiet', 2);
    await add('loud', 20, { from: 60 });
    const taken = await take(60);
    expect(taken.indexOf(idOf('quiet', 0))).to.be.at.most(1);
    expect(taken.indexOf(idOf('quiet', 1))).to.be.at.most(4);
    expect(taken.filter(id => idsOf('loud', 30, 60).includes(id))).to.deep.equal(idsOf('loud', 30, 60));
    expect(taken).to.have.length(52);
  });

  it('keep their order when their numbers have become too large and are lowered', async () => {
    await ownStore.advanceFairOrder(LOWER_ABOVE - 25);
    await add('loud', 40);
    await add('double', 40, { share: 2 });
    const before = await take(20);
    const [waiting] = await queue.getJobs(['prioritized'], 0, 0, true);
    expect(waiting?.priority).to.be.above(LOWER_ABOVE);
    await add('quiet', 1);
    const [lowered] = await queue.getJobs(['prioritized'], 0, 0, true);
    expect(lowered?.priority).to.be.below(LOWER_ABOVE / 2);
    const [next, ...after] = await take(61);
    expect(next).to.equal(idOf('quiet', 0));
    const taken = [...before, ...after];
    expect(taken.filter(id => hostOf(id) === 'loud')).to.deep.equal(idsOf('loud', 0, 40));
    expect(taken.filter(id => hostOf(id) === 'double')).to.deep.equal(idsOf('double', 0, 40));
    expect(countOf(taken.slice(0, 30), 'double')).to.be.within(18, 22);
  });

  it('that were taken and are given back go before all others, also after the numbers were lowered', async () => {
    await ownStore.advanceFairOrder(LOWER_ABOVE - 15);
    await add('loud', 20);
    const closing = await openWorker(1);
    closing.concurrency = 6;
    await closing.getBackend().moveToActive('begun');
    await take(2);
    await add('quiet', 1);
    closing.emit('closing', 'closing queue');
    const given = async () => (await queue.getJobs(['prioritized'])).map(({ id }) => id);
    for (let ids = await given(); !ids.includes(idOf('loud', 2)); ) ids = await given();
    expect(await take(3)).to.have.members([idOf('loud', 1), idOf('loud', 2), idOf('quiet', 0)]);
  });

  it('that run again under their key get a new place, and the data of the request that runs them', async () => {
    await add('again', 30);
    const ids = await take(30);
    const last = ids.at(-1) as string;
    const ended = { id: last, data: dataOf('again'), opts: jobOptions } as never;
    const reply = { code: 503, sealed: 'reply' };
    await worker
      .getBackend()
      .moveToCompleted(ended, reply, jobOptions.removeOnComplete, `token:${tokens}`, false);
    await ownStore.loseFairOrder();
    await add('loud', 20);
    const replaceData = async (requestId: string, hostShare: HostShare | undefined) => {
      const data = { ...dataOf('again'), requestId };
      await queue.getBackend().replaceFinished({ jobId: last, data, hostShare });
      const job = await queue.getJob(last);
      expect(job?.data.requestId).to.equal('second');
      return job;
    };
    await replaceData('second', undefined);
    const again = await replaceData('second', { host: 'again', share: 1 });
    await again?.retry('completed');
    // It is no longer finished.
    await replaceData('third', { host: 'again', share: 1 });
    // The take after the last job of a queue takes nothing.
    expect(await take(3)).to.include(last);
  });

  it('are taken in the same order by BullMQ’s own calls, and wait for no marker of ours', async () => {
    await add('loud', 30);
    const library = await (await openBeside(false)).openWorker(1);
    await take(5, library);
    await add('quiet', 1);
    expect(await take(2, library)).to.deep.equal([idOf('quiet', 0), idOf('loud', 5)]);
    await add('quiet', 1, { from: 1 });
    expect(await take(2)).to.have.members([idOf('quiet', 1), idOf('loud', 6)]);
  });

  it('are seen waiting by host: how many, since when, and what goes before its next', async () => {
    await add('loud', 20);
    await add('double', 20, { share: 2 });
    await take(10);
    const { depth, active, hosts } = await web.backlog(queue);
    expect([depth, active]).to.deep.equal([30, 10]);
    const [loud, double] = [hosts.get('loud'), hosts.get('double')];
    expect((loud?.depth ?? 0) + (double?.depth ?? 0)).to.equal(30);
    expect(loud?.depth).to.be.within(16, 17);
    expect(loud?.ahead).to.equal(30);
    expect(double?.ahead).to.be.within(20, 24);
    expect(loud?.oldest).to.be.closeTo(web.now(), 20_000);
    expect(hosts.get('quiet')).to.equal(undefined);
  });
});
