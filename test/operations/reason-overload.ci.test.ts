import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { type QueueWatch, watchQueue } from './queue-watch.ts';

const requestTimeoutMs = 6_000;
const tooLongMs = requestTimeoutMs / 4;
/** The backlog is polled four times a second. */
const lookMs = 400;

describe('more turns than can be answered in time', () => {
  const service = openOwnService({ requestTimeoutMs, workerConcurrency: 3 });
  const { model } = service;
  let queue: QueueWatch;
  beforeEach(async () => {
    queue = await watchQueue(service, 'turns');
  });
  afterEach(() => queue.close());

  it('are refused at once while the oldest has waited for a quarter of its time, and taken again after', async () => {
    const held = hold();
    model.script(held.script);
    // One more than run at the same time.
    const turns = [1, 2, 3].map(n => service.ask(`Minha ${n}?`));
    await queue.hasTaken(3);
    const late = await service.newConversation();
    await queue.hasOneWaiting(tooLongMs + lookMs);
    // Nothing has been answered: the model still holds the first two.
    const refused = await service.ask('Mais uma?', { conversationId: late });
    expect([refused.status, refused.body.code]).to.deep.equal([503, 503]);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(await service.db('turns').where('conversation_id', late)).to.deep.equal([]);
    held.release();
    expect((await Promise.all(turns)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    await eventually(async () => (await service.ask('Mais uma?', { conversationId: late })).status, 200);
  });

  it('are not those that wait for their own conversation', async () => {
    const held = hold();
    model.script((request, response) =>
      (request.messages.at(-1)?.content === 'Oi?' ? say('Olá!') : held.script)(request, response),
    );
    const conversationId = await service.newConversation();
    const startedAt = performance.now();
    const turns = [1, 2, 3, 4].map(n => service.ask(`Minha ${n}?`, { conversationId }));
    await queue.hasTaken(4);
    await eventually(
      () => performance.now() - startedAt,
      ms => ms > tooLongMs + 200,
    );
    expect((await service.ask('Oi?')).status).to.equal(200);
    held.release();
    const statuses = (await Promise.all(turns)).map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 200, 200, 200]);
  });
});
