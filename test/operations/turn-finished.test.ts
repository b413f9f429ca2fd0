import { expect } from 'chai';
import { startStopwatch } from '../../platform/stopwatch.ts';
import { turnStages } from '../../workers/runtime/turn-time.ts';
import { openConversation } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { call, fail, hold, rounds, say } from '../support/scripted-model.ts';
import { openService, type Service, startApiBeside } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

type Line = Record<string, number | string>;

describe('the line of a turn that has ended', () => {
  const service = openService();
  const { model } = service;
  const conversation = openConversation(service);
  const linesOf = (event: string, conversationId = conversation.id) =>
    service.logged
      .map(line => JSON.parse(line) as Line)
      .filter(line => line['event'] === event && line['conversationId'] === conversationId);
  const lineOf = async (nth = 0) => {
    const lines = await eventually(
      () => linesOf('turn.finished'),
      found => found.length > nth,
    );
    return lines[nth] as Line;
  };
  const sumOf = (line: Line) => turnStages.reduce((sum, stage) => sum + Number(line[`${stage}Ms`]), 0);
  /** Resolves a while after `held`, with its milliseconds. */
  const passSome = async (held: Promise<unknown>) => {
    await held;
    const watch = startStopwatch();
    return eventually(watch.elapsedMs, ms => ms > 60);
  };

  it('names host, conversation, model and functions, has each part of its time once, and none of its texts', async () => {
    model.script(rounds(call([['search_knowledge', { query: 'Segredo' }]]), say('Às oito da noite.')));
    await conversation.ask('Pergunta secreta?');
    const line = await lineOf();
    expect(line).to.include({ hostId: service.demo.hostId, status: 200, model: 'scripted', tools: 1 });
    expect(line['turnId']).to.match(/^k/);
    expect(sumOf(line)).to.equal(line['total']);
    expect(JSON.stringify(line)).not.to.match(/secreta|segredo|noite/i);
    const ofRequest = service.logged
      .map(text => JSON.parse(text) as Line)
      .find(({ event, requestId }) => event === 'request.finished' && requestId === line['requestId']);
    expect(ofRequest).to.include({ hostId: service.demo.hostId, operation: 'reason' });
  });

  it('shows that the model was slow', async () => {
    const held = hold();
    model.script(held.script);
    const asked = conversation.ask('Que horas abre?');
    const ms = await passSome(held.held);
    held.release();
    await asked;
    expect((await lineOf())['modelMs']).to.be.at.least(ms);
  });

  it('shows that the database was slow to read, and to store', async () => {
    const lock = async () => {
      const tx = await service.db.transaction();
      await tx('conversations').where({ id: conversation.id }).forUpdate().select('id');
      return tx;
    };
    const reading = await lock();
    const held = hold();
    model.script(held.script);
    const asked = conversation.ask('Que horas abre?');
    const readMs = await passSome(waitForLock(reading));
    await reading.rollback();
    await held.held;
    const storing = await lock();
    held.release();
    const storeMs = await passSome(waitForLock(storing));
    await storing.rollback();
    await asked;
    const line = await lineOf();
    expect(line['readMs']).to.be.at.least(readMs);
    expect(line['storeMs']).to.be.at.least(storeMs);
  });

  it('shows that the turn waited for the one before it', async () => {
    const held = hold();
    model.script(held.script);
    const first = conversation.ask('Que horas abre?');
    await held.held;
    const second = conversation.ask('E aos sábados?');
    const ms = await passSome(eventually(conversation.states, states => states.length === 2));
    held.release();
    await Promise.all([first, second]);
    const line = await lineOf(1);
    // It looks now and then whether it is its turn.
    expect(Number(line['waitMs']) + Number(line['readMs'])).to.be.at.least(ms);
    expect(line['waitMs']).to.be.above(0);
  });

  it('is there for a turn that ended without an answer, with where its time went', async () => {
    const beside = await startApiBeside(service, { requestTimeoutMs: 1_500 });
    const ask = async (at: Service) => {
      const conversationId = await service.newConversation();
      const { status } = await at.ask('Que horas abre?', { conversationId });
      const [line = {}] = await eventually(
        () => linesOf('turn.finished', conversationId),
        found => found.length > 0,
      );
      return { answered: status, ...line };
    };
    const held = hold();
    model.script(held.script);
    const late = await ask(beside);
    held.release();
    model.script(fail(400));
    const refused = await ask(service);
    await beside.close();
    expect(late).to.include({ answered: 408, status: 408, model: 'scripted' });
    expect(late).to.have.property('modelMs').that.is.above(0);
    expect(refused).to.include({ answered: 503, status: 503, model: 'scripted' });
  });
});
