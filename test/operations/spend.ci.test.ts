import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { makeVectorStore, untilEmbedded } from '../db/vector-store.ts';
import { teach } from '../support/avatar-with-knowledge.ts';
import { expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { waitForInsights, withInsights } from '../support/insight-answers.ts';
import { findNoonZone } from '../support/noon-zone.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { embed, fail, formFor, rounds, say } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { startService } from '../support/service.ts';

const EMBEDDING = 'scripted-embedding';
const TURN = 42;

describe('the spend of a host', () => {
  const service = openOnce(async () =>
    startService({
      store: await makeVectorStore(),
      insightConcurrency: 4,
      openaiEmbeddingModel: EMBEDDING,
      modelPrices: { scripted: 1_000_000, [EMBEDDING]: 100_000 },
      pricesCurrency: 'BRL',
    }),
  );
  let day = '';
  before(async () => {
    service.model.onEmbeddings = embed(() => [1, 0]);
    await untilEmbedded(service.db);
    // These are the calls for the seeded knowledge.
    const recorded = () => service.db('spend_deltas').where({ purpose: 'embedding' });
    await eventually(async () => (await recorded()).length > 0, true);
    const timeZone = findNoonZone();
    for (const slug of ['demo', 'acme']) await setHost(service.db, slug, { timeZone });
    day = new Intl.DateTimeFormat('sv', { timeZone }).format(new Date());
  });
  beforeEach(async () => {
    service.model.script(withInsights());
    await setHost(service.db, 'demo', { monthlyBudget: '' });
    await eventually(() => service.db('insights_due'), []);
    // What is still to be added to its day goes first: otherwise it could be added between the two.
    for (const table of ['spend_deltas', 'spend_days']) await service.db(table).delete();
  });

  it('is in the currency that the operator has named', async () => {
    expect((await readSpend()).currency).to.equal('BRL');
  });

  const tomorrow = () => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  const readSpend = async (of = service.demo, period = { startDate: day, endDate: tomorrow() }) => {
    const { status, body } = await of.call('getSpend', period);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  };
  const spendOnceCalls = (calls: number) => eventually(() => readSpend(), { calls: calls });
  const costOf = (groups: { cost: string; purpose?: string }[], purpose: string) =>
    Number(groups.find(group => group.purpose === purpose)?.cost ?? 0);

  for (const monthlyBudget of ['', '1000000'])
    it(`has each call by day, model, avatar and purpose, ${monthlyBudget ? 'with' : 'without'} a budget`, async () => {
      await setHost(service.db, 'demo', { monthlyBudget });
      const conversationId = await service.newConversation();
      expect((await service.ask('Qual é o horário da secretaria?', { conversationId })).status).to.equal(200);
      await waitForInsights(service, conversationId);
      const data = await spendOnceCalls(3);
      expect(data).to.include({ tokens: 2 * TURN + 1, cost: `${2 * TURN + 0.1}`, estimatedCost: '0' });
      const { days, models, avatars: _avatars, purposes: _purposes, currency: _currency, ...sums } = data;
      // A scripted answer has one token for 128 bytes; an embedding has none.
      expect(sums).to.include({ input_tokens: sums.tokens - 5, cached_tokens: 0, output_tokens: 5 });
      expect(days).to.deep.equal([{ day, ...sums }]);
      expect(models.map(({ model, calls }: Fields) => [model, calls])).to.deep.equal([
        ['scripted', 2],
        [EMBEDDING, 1],
      ]);
      const avatars = data.avatars.map(({ avatarId }: Fields) => avatarId);
      expect(avatars).to.have.members([service.demo.avatarId, '']);
      for (const [purpose, cost] of [
        ['turn', TURN],
        ['insight', TURN],
        ['embedding', 0.1],
        ['agent', 0],
      ] as const)
        expect(costOf(data.purposes, purpose), purpose).to.equal(cost);
      expect((await readSpend(service.acme)).calls).to.equal(0);
    });

  it('has both calls of a form that was repaired, and a budget ends it', async () => {
    const agent = { frontSchema: { properties: { curso: { type: 'string', title: 'Curso' } } } };
    const fill = () => service.demo.call('generateAgent', { agent, instructions: 'Curso: Direito' });
    let calls = 0;
    service.model.script((request, response) => say(++calls === 1 ? 'nada' : formFor)(request, response));
    expect((await fill()).status).to.equal(200);
    expect(costOf((await spendOnceCalls(2)).purposes, 'agent')).to.equal(2 * TURN);
    await setHost(service.db, 'demo', { monthlyBudget: '10' });
    const refused = await fill();
    expect([refused.status, refused.body.message]).to.deep.equal([429, 'budget exceeded']);
    expect(calls).to.equal(2);
  });

  it('stays within the budget where only the embedding of a chunk or of a question would exceed it', async () => {
    service.model.embeddingRequests.length = 0;
    await setHost(service.db, 'demo', { monthlyBudget: '0' });
    for (const host of [service.demo, service.acme])
      await teach(host, host.avatarId, [`Texto de ${host.slug}`]);
    const waiting = () =>
      service
        .db('chunk_embeddings')
        .join('chunks', 'chunks.id', 'chunk_id')
        .where({ space: '' })
        .whereRaw(`due_at > now() + interval '5 minutes'`)
        .pluck('content');
    expect(await eventually(waiting, contents => contents.length > 0)).to.deep.equal(['Texto de demo']);
    await eventually(async () => (await readSpend(service.acme)).calls, 1);
    await service.ask('Qual é o horário da secretaria?');
    const sent = service.model.embeddingRequests.flatMap(({ input }) => input);
    expect(sent).to.deep.equal(['Texto de acme']);
    expect((await readSpend()).calls).to.equal(0);
  });

  it('of a day without calls is zero, and a wrong period is refused by its field', async () => {
    const host = await service.addHost();
    const data = await readSpend(host, { startDate: '2026-03-01T12:00:00Z', endDate: '2026-03-03' });
    const costs = data.days.map((each: Fields) => [each['day'], each['cost']]);
    expect(costs).to.deep.equal([
      ['2026-03-01', '0'],
      ['2026-03-02', '0'],
    ]);
    expectWrong(await host.call('getSpend', { startDate: '2026-03-03', endDate: '2026-03-01' }), 'endDate');
  });

  it('is that of the receipt, call by call, with the tokens of each kind', async () => {
    const calls: Fields[] = (await service.ask('Oi?', withReceipt)).receipt.modelCalls;
    const fields = ['input_tokens', 'cached_tokens', 'output_tokens', 'cost'];
    const kinds = calls.map(each => fields.map(field => each[field]));
    expect(kinds).to.deep.include([TURN - 1, 0, 1, String(TURN)]);
    const data = await eventually(
      () => readSpend(),
      seen => costOf(seen.purposes, 'turn') > 0,
    );
    const ofTurn = calls.filter(each => each['name'] === 'scripted').map(each => Number(each['cost']));
    expect(ofTurn).to.deep.equal([costOf(data.purposes, 'turn')]);
  });

  it('has the tries that a provider refused for nothing', async () => {
    service.model.script(rounds(fail(400)));
    expect((await service.ask('Oi?')).status).to.equal(503);
    service.model.say('Sim.');
    expect((await service.ask('Oi?')).status).to.equal(200);
    const data = await eventually(
      () => readSpend(),
      seen => costOf(seen.purposes, 'turn') > 0,
    );
    expect(costOf(data.purposes, 'turn')).to.equal(TURN);
  });
});
