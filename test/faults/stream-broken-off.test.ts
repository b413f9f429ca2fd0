import { expect } from 'chai';
import { listMessageTexts } from '../support/conversation-records.ts';
import { openEvents } from '../support/event-client.ts';
import { hold, sayInPieces } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';

describe('an answer that is read while it is generated', () => {
  let service: Service;
  const workers: SpawnedProcess[] = [];
  let conversationId: string;
  before(async () => {
    service = await startService({ workers: false, requestTimeoutMs: 30_000 });
    workers.push(await spawnWorker(service), await spawnWorker(service));
  });
  beforeEach(async () => {
    conversationId = await service.newConversation();
  });
  after(async () => {
    await endAll(workers);
    await service.close();
  });

  const open = () => openEvents(service, { conversationId, question: 'Bom dia' });
  const never = new Promise<void>(() => {});

  it('is replaced by that of another worker when its own is killed, and stored once', async () => {
    service.model.script(
      sayInPieces(['Um momento, ', 'já vou.'], async at => (at === 1 ? never : undefined)),
    );
    const client = await open();
    await client.waitForText('Um momento, ');
    service.model.script(sayInPieces(['Bom ', 'dia!']));
    // Whichever has the turn.
    for (const worker of workers.splice(0)) worker.kill('SIGKILL');
    workers.push(await spawnWorker(service));
    const events = await client.readAll();
    expect(events.map(({ event }) => event)).to.include('replace');
    expect(events.at(-1)?.data.data.assistantResponse.string).to.equal('Bom dia!');
    expect(client.text()).to.equal('Bom dia!');
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Bom dia',
      'assistant: Bom dia!',
    ]);
  });

  it('keeps its connection alive while the model thinks', async () => {
    const thinking = hold(sayInPieces(['Bom dia!']));
    service.model.script(thinking.script);
    const client = await open();
    expect(client.response.status).to.equal(200);
    expect(client.events).to.deep.equal([]);
    thinking.release();
    await client.readAll();
    expect(client.comments).to.deep.equal(['waiting']);
    expect(client.text()).to.equal('Bom dia!');
  });
});
