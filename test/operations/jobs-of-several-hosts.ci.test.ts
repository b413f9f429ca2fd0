import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { runCommand } from '../support/run-command.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';

const WORD = 'papagaioverde';

describe('the reply to a token of several hosts', () => {
  const service = openOwnService({ indexer: true });
  const { demo, acme, db } = service;
  let hostIds: string[];
  let domain: string;
  before(async () => {
    hostIds = [acme.hostId, demo.hostId];
    domain = await service.makeToken({ hostIds });
    await db('conversations').insert(hostIds.map(host_id => ({ host_id, main_topic: `${WORD} amarelo` })));
    await eventually(() => db('search_records').where('title', 'like', `${WORD}%`), { length: 2 });
  });

  const search = (token: string, key: string) =>
    demo.call('searchHybrid', { query: WORD }, { token, headers: { 'idempotency-key': key } });
  const jobAt = (id: string, token: string) => service.call(`/jobs/${id}`, undefined, { token });
  const keptUnder = async (key: string) => {
    const found = () => db('replies').where({ key }).pluck('job_id');
    const [id] = await eventually(found, replies => replies.length > 0);
    return id as string;
  };
  const hostsIn = ({ body }: ApiResponse) =>
    [...new Set((body.results as { host_id: string }[]).map(({ host_id }) => host_id))].toSorted();

  it('can be read by its id with all of its hosts, and with one of them is like no job at all', async () => {
    const found = await search(domain, 'by-id');
    expect(hostsIn(found)).to.deep.equal(hostIds.toSorted());
    const id = await keptUnder('by-id');
    const operator = await service.makeToken({ hostIds: 'all' });
    for (const token of [domain, operator]) {
      const { status, body } = await jobAt(id, token);
      expect([status, body.data.data]).to.deep.equal([200, found.body]);
    }
    for (const { token } of [demo, acme]) {
      const [foreign, missing] = [await jobAt(id, token), await jobAt(`k${'0'.repeat(40)}`, token)];
      expect(foreign.status).to.equal(404);
      expect({ ...foreign.body, data: {} }).to.deep.equal({ ...missing.body, data: {} });
    }
    const chosen = { headers: { 'x-choosen-host-id': demo.hostId }, token: domain };
    expect((await service.call(`/jobs/${id}`, undefined, chosen)).status).to.equal(404);
  });

  it('is not given to a token of one of them under the same key', async () => {
    await search(domain, 'same-key');
    for (const { token, hostId } of [demo, acme])
      expect(hostsIn(await search(token, 'same-key'))).to.deep.equal([hostId]);
    expect(hostsIn(await search(domain, 'same-key'))).to.deep.equal(hostIds.toSorted());
  });

  it('is given again under its key whatever the order of the hosts is by now', async () => {
    const first = await search(domain, 'renamed');
    await db('hosts').where({ id: demo.hostId }).update({ slug: 'aaa-demo' });
    const again = await search(domain, 'renamed');
    await db('hosts').where({ id: demo.hostId }).update({ slug: 'demo' });
    expect(again.body).to.deep.equal(first.body);
    expect(await db('replies').where({ key: 'renamed' })).to.have.length(1);
  });

  it('has an id that nobody can tell from hosts, operation and key', async () => {
    await search(domain, 'guessed');
    const id = await keptUnder('guessed');
    const orders = [hostIds, hostIds.toReversed()];
    const guesses = orders.map(order => {
      const named = JSON.stringify([order, 'searchHybrid', 'guessed']);
      return `k${createHash('sha256').update(named).digest('hex').slice(0, 40)}`;
    });
    expect(guesses).to.not.include(id);
    for (const guess of guesses) expect((await jobAt(guess, domain)).status).to.equal(404);
  });

  it('goes with a person of any of its hosts who is erased', async () => {
    const email = 'canario@exemplo.test';
    await db('contacts').insert(hostIds.map(host_id => ({ host_id, email, name: `${WORD} canário` })));
    const [first, second] = hostIds.toSorted();
    const reply = { operation: 'searchHybrid', code: 200, kept: true, job_id: 'kerased' };
    const outcome = JSON.stringify({ code: 200, data: email });
    const expires_at = new Date(Date.now() + 600_000);
    await db('replies').insert({ ...reply, host_id: first, also_hosts: [second], outcome, expires_at });
    const slug = second === demo.hostId ? 'demo' : 'acme';
    const settings = { DATABASE_URL: service.settings.databaseUrl, SECRET_KEY: 's'.repeat(32) };
    const { code, err } = await runCommand('erase', ['--host', slug, '--contact', email], settings);
    expect([code, err]).to.deep.equal([0, '']);
    expect(await db('replies').where({ job_id: 'kerased' })).to.deep.equal([]);
  });
});
