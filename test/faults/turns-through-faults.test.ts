import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { eventually } from '../support/eventually.ts';
import { usesRedis } from '../support/own-redis.ts';
import { hold, type ModelScript, say } from '../support/scripted-model.ts';
import { makeFaultyPostgres, makeFaultyRedis, type StoreFault } from './faulty-stores.ts';
import { openProcesses } from './processes.ts';

/*
 * Callers that repeat what is refused under the same key, while each fault of docs/faults.md befalls the service: whatever they are
 * told, each question is answered once. With FIGURES set, it prints the row of each fault for that page; the last two figures are how
 * long after the fault was over a new turn was answered, and all those that it had befallen.
 */

const TURNS_IN_FLIGHT = 12;
const TURNS_MEANWHILE = 12;
const WORKERS = 2;
const REPEAT_AFTER_MS = 250;
/** Refusals that a caller may repeat. */
const passing = [408, 503];
const storeName = usesRedis ? 'Redis' : 'PostgreSQL';

describe(`the turns of a service whose queues are on ${storeName}`, function () {
  this.timeout(180_000);
  const faulty = usesRedis ? makeFaultyRedis() : makeFaultyPostgres();
  const { service, killAndRestart } = openProcesses(async () => ({
    store: { ...(await faulty.open()), drop: faulty.close },
    workers: WORKERS,
    requestTimeoutMs: 15_000,
  }));
  let answers = 0;
  const answer: ModelScript = say(() => `Resposta ${(answers += 1)}.`);

  /** Asks until it is answered; resolves with the answer and the number of refusals. */
  const askUntilAnswered = async (conversationId: string, onRefusal: () => void) => {
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      const { status, body } = await service.ask(
        `Pergunta de ${conversationId}?`,
        { conversationId },
        { headers },
      );
      if (status === 200) return body.data.assistantResponse.string as string;
      expect(status).to.be.oneOf(passing);
      onRefusal();
      await delay(REPEAT_AFTER_MS);
    }
  };
  const isWorking = async () => (await service.ask('Voltou?').catch(() => undefined))?.status === 200;

  /** Asks some turns before and some after the fault; heals it once one was refused, or all were answered. */
  async function askThrough({ strike, heal = async () => {} }: Pick<StoreFault, 'strike' | 'heal'>) {
    const ids = await Promise.all(
      Array.from({ length: TURNS_IN_FLIGHT + TURNS_MEANWHILE }, () => service.newConversation()),
    );
    const refusals = new Map<string, number>();
    let tellRefused = () => {};
    const isRefused = new Promise<void>(resolve => (tellRefused = resolve));
    const ask = async (id: string) => {
      const text = await askUntilAnswered(id, () => {
        refusals.set(id, (refusals.get(id) ?? 0) + 1);
        tellRefused();
      });
      return [id, text] as const;
    };
    const held = hold(answer);
    const calls = service.model.requests.length;
    service.model.script(held.script);
    const inFlight = ids.slice(0, TURNS_IN_FLIGHT).map(ask);
    await eventually(
      () => service.model.requests.length,
      seen => seen >= calls + TURNS_IN_FLIGHT,
    );
    await strike();
    held.release();
    service.model.script(answer);
    const all = Promise.all([...inFlight, ...ids.slice(TURNS_IN_FLIGHT).map(ask)]);
    await Promise.race([isRefused, all]);
    await heal();
    const healedAt = performance.now();
    const secondsUntil = (done: Promise<unknown>) => done.then(() => (performance.now() - healedAt) / 1_000);
    const recovery = [eventually(isWorking, Boolean, 60_000), all].map(secondsUntil);
    return { told: new Map(await all), refusals, recovery: await Promise.all(recovery) };
  }

  /** Reads what is stored of each conversation, not through the proxy. */
  async function readStored(ids: readonly string[]) {
    const db = connect(faulty.databaseUrl(), { max: 1 });
    const rows = await db('messages').whereIn('conversation_id', ids).orderBy('seq');
    const turns = await db('turns').whereIn('conversation_id', ids).whereIn('state', ['waiting', 'running']);
    await db.destroy();
    return { said: (id: string) => rows.filter(row => row.conversation_id === id), unfinished: turns.length };
  }

  async function demandOneAnswerEach(name: string, strikes: Pick<StoreFault, 'strike' | 'heal'>) {
    const { told, refusals, recovery } = await askThrough(strikes);
    const { said, unfinished } = await readStored([...told.keys()]);
    const count = (isSo: (id: string) => boolean) => [...told.keys()].filter(isSo).length;
    const textsOf = (id: string, author: string) =>
      said(id).flatMap(row => (row.author === author ? row.content : []));
    const figures = {
      answered: told.size,
      'refused at first': refusals.size,
      refusals: [...refusals.values()].reduce((sum, each) => sum + each, 0),
      lost: count(id => !textsOf(id, 'assistant').includes(told.get(id))),
      doubled: count(id => textsOf(id, 'assistant').length > 1 || textsOf(id, 'user').length > 1),
    };
    const row = [
      name,
      storeName,
      ...Object.values(figures),
      ...recovery.map(seconds => `${seconds.toFixed(1)} s`),
    ];
    if (process.env['FIGURES'])
      process.stdout.write(`${row.join(' | ')} (load ${loadavg()[0]?.toFixed(1)})\n`);
    expect(figures).to.include({ answered: TURNS_IN_FLIGHT + TURNS_MEANWHILE, lost: 0, doubled: 0 });
    expect(unfinished).to.equal(0);
  }

  const ofProcesses: readonly StoreFault[] = [
    { name: 'one of two workers killed', strike: () => killAndRestart(1).restarted },
    { name: 'all workers killed', strike: () => killAndRestart().restarted },
  ];
  for (const { name, skipReason = () => undefined, ...strikes } of [...ofProcesses, ...faulty.faults])
    it(`are each answered once: ${name}`, async function () {
      const reason = skipReason();
      if (reason !== undefined) {
        process.stdout.write(`left out: ${name}: ${reason}\n`);
        this.skip();
      }
      await demandOneAnswerEach(name, strikes);
    });
});
