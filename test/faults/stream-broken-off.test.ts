import { expect } from 'chai';
import { itAtOnce } from '../support/at-once.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { openEvents } from '../support/event-client.ts';
import { hold, sayInPieces } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { openProcesses, UNHURRIED_MS } from './processes.ts';

describe('an answer that is read while it is generated', () => {
  const { service, spawn, kill } = openProcesses({ workers: 2, requestTimeoutMs: UNHURRIED_MS });
  /** Its worker is not killed. */
  const other = openOwnService({ requestTimeoutMs: 30_000 });

  const never = new Promise<void>(() => {});

  const outliveWorker = async () => {
    service.model.script(
      sayInPieces(['Um momento, ', 'já vou.'], async at => (at === 1 ? never : undefined)),
    );
    const conversationId = await service.newConversation();
    const client = await openEvents(service, { conversationId, question: 'Bom dia' });
    await client.waitForText('Um momento, ');
    service.model.script(sayInPieces(['Bom ', 'dia!']));
    // Whichever has the turn.
    await kill();
    await spawn();
    const events = await client.readAll();
    expect(events.map(({ event }) => event)).to.include('replace');
    expect(events.at(-1)?.data.data.assistantResponse.string).to.equal('Bom dia!');
    expect(client.text()).to.equal('Bom dia!');
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Bom dia',
      'assistant: Bom dia!',
    ]);
  };

  const keepAlive = async () => {
    const thinking = hold(sayInPieces(['Bom dia!']));
    other.model.script(thinking.script);
    const conversationId = await other.newConversation();
    const client = await openEvents(other, { conversationId, question: 'Bom dia' });
    expect(client.response.status).to.equal(200);
    expect(client.events).to.deep.equal([]);
    thinking.release();
    await client.readAll();
    expect(client.comments).to.deep.equal(['waiting']);
    expect(client.text()).to.equal('Bom dia!');
  };

  itAtOnce({
    'is replaced by that of another worker when its own is killed, and stored once': outliveWorker,
    'keeps its connection alive while the model thinks': keepAlive,
  });
});
