import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { eventually } from '../support/eventually.ts';
import { runCommand } from '../support/run-command.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';

const HYBRID = '/search-index/search/hybrid';
const WORD = 'papagaioverde';

describe('the reply to a token of several hosts', () => {
  const service = openOwnService({ indexer: true });
  const { demo, acme } = service;
  let hostIds: string[];
  let domain: string;
  before(async () => {
    hostIds = [acme.hostId, demo.hostId];
    domain = await service.makeToken({ hostIds });
    await Promise.all(
      hostIds.map(host_id => service.db('conversations').insert({ host_id, main_topic: `${WORD} amarelo` })),
    );
    await eventually(
      () => service.db('search_records').where('title', 'like', `${WORD}%`),
      records => records.length === 2,
      15_000,
    );
  });

  const search = (token: string, key?: string) =>
    service.call(
      HYBRID,
      { query: WORD },
      { token, headers: key === undefined ? {} : { 'idempotency-key': key } },
    );
  const jobAt = (id: string, token: string) => service.call(`/jobs/${id}`, undefined, { token });
  const keptUnder = async (key: string) => {
    const found = () =>
      rowsOf<{ id: string }>(service.db)`select job_id as id from replies where key = ${key}`;
    const [kept] = await eventually(found, replies => replies.length > 0);
    return kept?.id ?? '';
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
      const foreign = await jobAt(id, token);
      const missing = await jobAt(`k${'0'.repeat(40)}`, token);
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
    await service.db('hosts').where({ id: demo.hostId }).update({ slug: 'aaa-demo' });
    const again = await search(domain, 'renamed');
    await service.db('hosts').where({ id: demo.hostId }).update({ slug: 'demo' });
    expect(again.body).to.deep.equal(first.body);
    expect(await service.db('replies').where({ key: 'renamed' })).to.have.length(1);
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
    for (const hostId of hostIds) {
      await service.db('contacts').insert({ host_id: hostId, email, name: `${WORD} canário` });
    }
    const [first, second] = hostIds.toSorted();
    await service.db('replies').insert({
      host_id: first,
      operation: 'searchHybrid',
      code: 200,
      kept: true,
      job_id: 'kerased',
      outcome: JSON.stringify({ code: 200, data: email }),
      expires_at: new Date(Date.now() + 600_000),
      also_hosts: [second],
    });
    const slug = second === demo.hostId ? 'demo' : 'acme';
    const { code, err } = await runCommand('erase', ['--host', slug, '--contact', email], {
      DATABASE_URL: service.settings.databaseUrl,
      SECRET_KEY: 's'.repeat(32),
    });
    expect([code, err]).to.deep.equal([0, '']);
    expect(await service.db('replies').where({ job_id: 'kerased' })).to.deep.equal([]);
  });
});
