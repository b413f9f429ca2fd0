import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { eventually } from '../support/eventually.ts';
import { findNoonZone } from '../support/noon-zone.ts';
import { say } from '../support/scripted-model.ts';
import { openProcesses, UNHURRIED_MS } from './processes.ts';

const TURNS = 100;
/** A token costs one. */
const BUDGET = 100_000;
const MAX_TOKENS = 4_000;

describe('a budget over several processes', () => {
  const { service, spawn, kill } = openProcesses({
    requestTimeoutMs: UNHURRIED_MS,
    workerConcurrency: 150,
    modelPrices: { scripted: 1_000_000 },
  });
  before(() => setHost(service.db, 'demo', { timeZone: findNoonZone() }));
  beforeEach(async () => {
    for (const table of ['spend_deltas', 'spend_days']) await service.db(table).delete();
    await Promise.all([spawn(), spawn()]);
  });
  afterEach(() => kill());

  const readSpend = async () => {
    const [row] = await rowsOf<{ spent: number; reserved: number }>(service.db)`
        select (select coalesce(sum(cost), 0) from spend_deltas)::float8 as spent,
          (select count(*) from spend_reservations)::integer as reserved`;
    return row;
  };

  it('is exceeded by nothing when more turns come at once than it has money for', async () => {
    await setHost(service.db, 'demo', { monthlyBudget: String(BUDGET) });
    let billed = 0;
    const before = service.model.requests.length;
    service.model.script(async (request, response) => {
      // One of prompt and one of answer at least: a report without a prompt cannot be true, and is not believed.
      const tokens = 2 + ((billed * 7_919) % MAX_TOKENS);
      billed += tokens;
      await delay(tokens / 40);
      await say('Sim.', tokens)(request, response);
    });
    const conversations = await Promise.all(Array.from({ length: TURNS }, () => service.newConversation()));
    const answers = await Promise.all(
      conversations.map(conversationId => service.ask('Oi?', { conversationId })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter(status => status !== 200 && status !== 429)).to.deep.equal([]);
    expect(statuses).to.include(429);
    expect(statuses.filter(status => status === 200)).to.have.length(service.model.requests.length - before);
    expect(billed).to.be.within(BUDGET / 4, BUDGET);
    expect(await readSpend()).to.deep.equal({ spent: billed, reserved: 0 });
  });

  it('that fits one turn is not lost with a worker that is killed in it', async () => {
    await setHost(service.db, 'demo', { monthlyBudget: '15000' });
    const before = service.model.requests.length;
    let isUp = false;
    service.model.script((request, response) => (isUp ? say('Sim.')(request, response) : undefined));
    const asked = service.ask('Oi?');
    await eventually(
      () => service.model.requests.length,
      made => made > before,
    );
    expect(await readSpend()).to.deep.equal({ spent: 0, reserved: 1 });
    expect((await service.ask('Oi?')).status).to.equal(429);
    isUp = true;
    await kill();
    await spawn();
    expect((await asked).status).to.equal(200);
    expect(await readSpend()).to.deep.equal({ spent: 42, reserved: 0 });
  });
});
