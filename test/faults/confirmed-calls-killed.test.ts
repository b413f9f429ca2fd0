import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { makeRandom } from '../queues/queue-steps.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { startReceiver } from '../support/receiver.ts';
import { call, type ModelScript, rounds, say } from '../support/scripted-model.ts';
import { openProcesses } from './processes.ts';

const SEED = Number(process.env['SEED'] ?? 40);
/** With `RUNS=100` it is 400 in all; FIGURES prints what became of them. */
const ROUNDS = Math.max(2, Math.round(Number(process.env['RUNS'] ?? 0) / 10));
const CALLS_OF_ROUND = 40;
const MAX_DELAY_MS = 150;
const REPEAT_AFTER_MS = 250;
const PAY = 'ERP__pagar';
const pagar = {
  name: 'pagar',
  description: 'Paga um boleto.',
  method: 'POST',
  path: '/boletos/{boleto}',
  arguments: { type: 'object', properties: { boleto: { type: 'string' } } },
};

describe('calls after a yes under worker processes that are killed', function () {
  this.timeout(1_200_000);
  const env = { EGRESS_ALLOW_PRIVATE: 'true' };
  const { service, killAndRestart } = openProcesses({ workers: 2, env, requestTimeoutMs: 60_000 });
  const { demo, model } = service;
  const system = openOnce(startReceiver);
  const random = makeRandom(SEED);

  /** The model makes the call in every turn. */
  const pay: ModelScript = async (request, response) => {
    const [boleto] =
      /boleto-\d+/.exec(request.messages.findLast(({ role }) => role === 'user')?.content ?? '') ?? [];
    await delay(random(MAX_DELAY_MS));
    await rounds(call([[PAY, { boleto }]]), say('Pronto.'))(request, response);
  };
  const answerLate = async (response: ServerResponse) => {
    await delay(random(MAX_DELAY_MS));
    response.end('{"pago": true}');
  };
  before(async () => {
    model.script(pay);
    system.script((_, response) => void answerLate(response));
    await demo.make('saveRestTool', {
      avatarId: demo.avatarId,
      name: 'ERP',
      baseURL: system.url,
      functions: [pagar],
    });
  });

  const arrivals = (boleto: string) =>
    system.received.filter(({ path }) => path === `/boletos/${boleto}`).length;
  /** Asks until it is answered; resolves with the status of the call. */
  const ask = async (conversationId: string, question: string): Promise<number> => {
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      const { status, data } = await service.ask(question, { conversationId }, { headers });
      if (status === 200)
        return data.restStatus.find(({ name }: { name: string }) => name === 'rest:ERP:pagar')?.status;
      expect(status).to.be.oneOf([408, 503]);
      await delay(REPEAT_AFTER_MS);
    }
  };

  it('arrive once at most, and what is told of each is so', async () => {
    const told = new Map<number, number>();
    let reruns = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const calls = await Promise.all(
        Array.from({ length: CALLS_OF_ROUND }, async (_, at) => {
          const boleto = `boleto-${round * CALLS_OF_ROUND + at}`;
          return { boleto, conversationId: await service.newConversation() };
        }),
      );
      const askAll = (words: string) =>
        Promise.all(calls.map(({ boleto, conversationId }) => ask(conversationId, `${words} ${boleto}`)));
      expect(new Set(await askAll('Paga'))).to.have.all.keys([202]);
      const wire = random(2) === 0 ? model.requests : system.received;
      const from = wire.length;
      const seen = 1 + random(CALLS_OF_ROUND / 2);
      const asked = askAll('Sim,');
      await eventually(
        () => wire.length,
        length => length >= from + seen,
      );
      await killAndRestart(1 + random(2)).restarted;
      const statuses = await asked;
      const [ids, counts] = [
        calls.map(({ conversationId }) => conversationId),
        calls.map(({ boleto }) => arrivals(boleto)),
      ];
      for (const [at, status] of statuses.entries()) {
        told.set(status, (told.get(status) ?? 0) + 1);
        expect(status).to.be.oneOf([0, 200]);
        expect(counts[at], calls[at]?.boleto).to.be.within(status === 200 ? 1 : 0, 1);
      }
      const later = await askAll('E aí,');
      expect(later).to.deep.equal(statuses.map(status => (status === 0 ? 0 : 202)));
      expect(calls.map(({ boleto }) => arrivals(boleto))).to.deep.equal(counts);
      reruns += (await service.db('turns').whereIn('conversation_id', ids).where('attempt', '>', 1)).length;
    }
    if (process.env['FIGURES'])
      process.stdout.write(
        `${ROUNDS * CALLS_OF_ROUND} calls: ${told.get(200)} answered, ${told.get(0) ?? 0} not known, ${system.received.length} arrived, ${reruns} turns run again\n`,
      );
    expect(reruns).to.be.above(0);
  });
});
