import { expect } from 'chai';
import { assertDefined } from '../support/assert-defined.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openService, serviceAt } from '../support/service.ts';
import { endAll, type SpawnedApi, spawnApi } from '../support/spawned-process.ts';
import { openProcesses } from './processes.ts';

const requestTimeoutMs = 10_000;

describe('a worker whose clock is wrong', () => {
  const { service, spawn, kill } = openProcesses({ requestTimeoutMs });
  before(async () => {
    service.model.say('Na hora.');
  });

  for (const offsetMs of [-60_000, 60_000]) {
    it(`by ${offsetMs / 1_000} s answers its turns, which have all of their time`, async () => {
      await spawn({ clockOffsetMs: offsetMs });
      const conversationId = await service.newConversation();
      const { status } = await service.ask('Que horas são?', { conversationId });
      expect(status).to.equal(200);
      const left = await service.db('turns').where('conversation_id', conversationId);
      const spanMs = left[0].deadline.getTime() - left[0].arrived_at.getTime();
      expect(spanMs).to.be.within(requestTimeoutMs - 1_000, requestTimeoutMs + 1_000);
      await kill();
    });
  }
});

describe('an api whose clock is wrong', () => {
  const offsets = [-60_000, 60_000];
  const service = openService({ requestTimeoutMs });
  let apis: SpawnedApi[] = [];
  before(async () => {
    service.model.say('Na hora.');
    apis = await Promise.all(offsets.map(clockOffsetMs => spawnApi(service, { clockOffsetMs })));
  });
  after(async () => {
    await endAll(apis);
  });

  for (const [at, offsetMs] of offsets.entries()) {
    it(`by ${offsetMs / 1_000} s has its turns answered, which have all of their time`, async () => {
      const api = assertDefined(apis[at]);
      const conversationId = await service.newConversation();
      const { status } = await (await serviceAt(service, api.baseURL)).ask('Que horas são?', {
        conversationId,
      });
      expect(status).to.equal(200);
      const [turn] = await service.db('turns').where('conversation_id', conversationId);
      const spanMs = turn.deadline.getTime() - turn.arrived_at.getTime();
      expect(spanMs).to.be.within(requestTimeoutMs - 1_000, requestTimeoutMs + 1_000);
    });
  }
});

describe('a clock that is set back', () => {
  const service = openService();
  const now = Date.now;
  afterEach(() => {
    Date.now = now;
  });

  /** Every second reading of the clock is an hour before the previous one. */
  const setBack = () => {
    Date.now = () => now() - 3_600_000;
  };

  it('while the model answers takes nothing from the turn, and no span of its receipt is negative', async () => {
    const answer = rounds(call([['ask_human_help', { reason: 'customer_request' }]]), say('Pronto.'));
    service.model.script(async (request, response) => {
      setBack();
      await answer(request, response);
    });
    const conversationId = await service.newConversation();
    const more = { conversationId, reasoningConfig: { svcCompleteLog: true } };
    const { status, body } = await service.ask('E agora?', more);
    expect(status).to.equal(200);
    expect((await recordsOf(service.db, conversationId)).turns.map(({ state }) => state)).to.eql([
      'answered',
    ]);
    const [receipt] = body.data.svcCompleteLog;
    const spans = [receipt, ...receipt.modelCalls, ...receipt.toolCalls].map(
      ({ durationMs }: { durationMs: number }) => durationMs,
    );
    expect(spans).to.have.length(4);
    for (const ms of spans) expect(ms).to.be.within(0, 10_000);
  });
});
