import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { refusals } from '../../queues/contract/failure.ts';
import { eventually } from '../support/eventually.ts';
import { findNoonZone } from '../support/noon-zone.ts';
import { call, fail, hold, rounds, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const MAX_TURN_COST = 30_000;
const TOKENS = 42;

describe('the budget of a host', () => {
  const service = openOwnService({
    insightConcurrency: 0,
    modelPrices: { scripted: 1_000_000, dear: 100_000_000, cheap: 1_000, free: 0 },
    requestTimeoutMs: 30_000,
  });
  const { demo } = service;
  before(() => setHost(service.db, 'demo', { timeZone: findNoonZone() }));
  beforeEach(async () => {
    service.model.script(say('Sim.', TOKENS));
    service.model.requests.length = 0;
    await setHost(service.db, 'demo', { monthlyBudget: '', dailyBudget: '', modelFallbacks: [] });
    for (const table of ['spend_deltas', 'spend_days', 'spend_reservations'])
      await service.db(table).delete();
  });

  const spentBy = async (slug = 'demo') => {
    const [row] = await rowsOf<{ spent: number; reserved: number }>(service.db)`
      select
        (select coalesce(sum(cost), 0) from spend_deltas join hosts on hosts.id = host_id where slug = ${slug})::float8
          as spent,
        (select count(*) from spend_reservations)::integer as reserved`;
    return row;
  };
  /** Without a budget a call is recorded a moment later. */
  const recorded = (spent: number) => eventually(spentBy, seen => seen?.spent === spent);
  const triesOf = (body: { data: { restStatus: { name: string; status: number; error?: string }[] } }) =>
    body.data.restStatus.map(({ name, status, error = '' }) => `${name} ${status} ${error}`.trim());

  it('allows turns up to it, then refuses with 429 until the month of the host ends', async () => {
    await setHost(service.db, 'demo', { monthlyBudget: String(MAX_TURN_COST + 2 * TOKENS) });
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await service.ask('Oi?')).status);
    expect(statuses).to.deep.equal([200, 200, 200]);
    expect(await spentBy()).to.deep.equal({ spent: 3 * TOKENS, reserved: 0 });
    await setHost(service.db, 'demo', { monthlyBudget: String(3 * TOKENS) });
    const { status, body, headers } = await service.ask('Oi?');
    expect([status, body.message]).to.deep.equal([429, 'budget exceeded']);
    expect(service.model.requests).to.have.length(3);
    const [ends] = await rowsOf<{ seconds: number }>(service.db)`
      select extract(epoch from (date_trunc('month', now() at time zone time_zone) + interval '1 month')
        at time zone time_zone - now())::float8 as seconds from hosts where slug = 'demo'`;
    expect(Number(headers.get('retry-after'))).to.be.closeTo(ends?.seconds ?? 0, 60);
    const { budget, retryAfter } = body.data;
    expect([budget, retryAfter]).to.deep.equal(['month', Number(headers.get('retry-after'))]);
  });

  it('of a day ends at midnight of the host, and is raised at once', async () => {
    await setHost(service.db, 'demo', { dailyBudget: '0' });
    const { status, body, headers } = await service.ask('Oi?');
    expect([status, body.data.budget]).to.deep.equal([429, 'day']);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 25 * 3_600);
    await setHost(service.db, 'demo', { dailyBudget: String(MAX_TURN_COST) });
    expect((await service.ask('Oi?')).status).to.equal(200);
  });

  it('saves no change whose evaluation it does not allow, and says so', async () => {
    const { avatarId } = demo;
    const read = async () => (await demo.call('readAvatar', { avatar_id: avatarId })).body.data;
    const before = await read();
    const cases = [{ question: 'Oi?', expect: { contains: 'Não' } }];
    expect((await demo.call('saveEvaluationCases', { avatarId, cases })).status).to.equal(200);
    await setHost(service.db, 'demo', { dailyBudget: '0' });
    const change = { avatar_id: avatarId, avatar_name: 'Outra', evaluate: true };
    const { status, body, headers } = await demo.call('editAvatar', change);
    expect([status, body.message]).to.deep.equal([429, 'budget exceeded']);
    expect(Number(headers.get('retry-after'))).to.be.above(0);
    expect(await read()).to.deep.equal(before);
    await demo.call('saveEvaluationCases', { avatarId, cases: [] });
  });

  it('lets the cheapest fallback that fits answer, and says so', async () => {
    await setHost(service.db, 'demo', { monthlyBudget: '30', modelFallbacks: ['dear', 'cheap'] });
    const { status, body } = await service.ask('Oi?');
    expect(status).to.equal(200);
    expect(triesOf(body)).to.deep.equal(['model:scripted 0 over the budget', 'model:cheap 200']);
    expect(await spentBy()).to.deep.equal({ spent: TOKENS / 1_000, reserved: 0 });
  });

  it('refuses a model without a price by its name, and asks a fallback that has one', async () => {
    await setHost(service.db, 'demo', { monthlyBudget: '100000' });
    await service.db('avatars').where({ host_id: demo.hostId }).update({ model: 'unknown' });
    const refused = await service.ask('Oi?');
    const hint = 'MODEL_PRICES has no price for "unknown"';
    expect([refused.status, refused.body.data.hint]).to.deep.equal([503, hint]);
    await setHost(service.db, 'demo', { modelFallbacks: ['cheap'] });
    const { status, body } = await service.ask('Oi?');
    expect([status, ...triesOf(body)]).to.deep.equal([200, 'model:unknown 0 no price', 'model:cheap 200']);
    await setHost(service.db, 'demo', { monthlyBudget: '', modelFallbacks: [] });
    expect((await service.ask('Oi?')).status).to.equal(200);
    await eventually(() => service.db('spend_deltas').where({ model: 'unknown', tokens: TOKENS, cost: 0 }), {
      length: 1,
    });
    await service.db('avatars').where({ host_id: demo.hostId }).update({ model: '' });
  });

  it('costs nothing for a try that was refused or reset, and the most for one that broke off within its answer', async () => {
    const modelFallbacks = ['dear', 'cheap', 'free'];
    await setHost(service.db, 'demo', { monthlyBudget: '1000000000', modelFallbacks });
    service.model.script((request, response) => {
      if (request.model === 'free') return say('Sim.')(request, response);
      if (request.model === 'dear') return void response.destroy();
      if (request.model !== 'cheap') return fail(429)(request, response);
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":[{"mess');
      setImmediate(() => response.destroy());
    });
    expect((await service.ask('Oi?')).status).to.equal(200);
    const rows = await service.db('spend_deltas').select('model', 'cost', 'estimated_cost').orderBy('model');
    const [broken] = rows;
    expect(rows.map(({ model }) => model)).to.deep.equal(['cheap']);
    expect(Number(broken.cost)).to.be.within(4_096 / 1_000, MAX_TURN_COST / 1_000);
    expect(broken.estimated_cost).to.equal(broken.cost);
    expect((await spentBy())?.reserved).to.equal(0);
  });

  it('counts each round of tools, and names a longest answer to the model only where there is a budget', async () => {
    await setHost(service.db, 'demo', { monthlyBudget: '1000000' });
    service.model.script(rounds(call([['ask_human_help', { reason: 'customer_request' }]]), say('Sim.')));
    expect((await service.ask('Oi?')).status).to.equal(200);
    expect(await spentBy()).to.deep.equal({ spent: 2 * TOKENS, reserved: 0 });
    const limits = () =>
      (service.model.requests as { max_completion_tokens?: number }[]).map(
        ({ max_completion_tokens: most }) => most,
      );
    expect(limits()).to.deep.equal([4_096, 4_096]);
    await setHost(service.db, 'demo', { monthlyBudget: '' });
    service.model.say('Sim.');
    expect((await service.ask('Oi?')).status).to.equal(200);
    expect(limits().at(-1)).to.equal(undefined);
    await recorded(3 * TOKENS);
  });

  it('is exceeded by nothing when turns come at once, and holds up no other host', async () => {
    const { script, held, release } = hold(say('Sim.', TOKENS));
    service.model.script(script);
    await setHost(service.db, 'demo', { monthlyBudget: '30000' });
    const asked = Array.from({ length: 8 }, () => service.ask('Oi?'));
    await held;
    // Refused while the others still hold their reservations.
    expect((await Promise.race(asked)).status).to.equal(429);
    expect((await service.acme.call('createConversation', { hostSlug: 'acme' })).status).to.equal(200);
    release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([200, 429]));
    const answered = statuses.filter(status => status === 200).length;
    expect(await spentBy()).to.deep.equal({ spent: answered * TOKENS, reserved: 0 });
  });

  // The last one: it leaves the model with a breaker that is open.
  it('is no reason to wait for the next month where a provider failed, in a turn and in a form', async () => {
    await setHost(service.db, 'demo', { monthlyBudget: String(MAX_TURN_COST), modelFallbacks: ['dear'] });
    service.model.script(fail(401));
    const agent = { frontSchema: { properties: { curso: { type: 'string', title: 'Curso' } } } };
    const form = { agent, instructions: 'Curso: Direito' };
    const unavailable = [503, refusals['model-unavailable'][1]];
    for (let round = 0; round < 3; round += 1) {
      const answers = [await service.ask('Oi?'), await demo.call('generateAgent', form)];
      for (const { status, body } of answers)
        expect([status, body.message], `round ${round}`).to.deep.equal(unavailable);
    }
    const asked = service.model.requests.map(({ model }) => model);
    expect(new Set(asked)).to.deep.equal(new Set(['scripted']));
  });
});
