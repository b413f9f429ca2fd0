import { expect } from 'chai';
import { listMessageTexts } from '../support/conversation-records.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { openEach } from '../support/opened.ts';
import { hold, say, sayInPieces } from '../support/scripted-model.ts';
import type { Service } from '../support/service.ts';
import { openProcesses } from './processes.ts';

describe('an api process that is killed', () => {
  const { service, spawnApi } = openProcesses({ workers: 1 });
  const { db, model } = service;
  const api = openEach(() => spawnApi());
  beforeEach(() => void model.requests.splice(0));

  it('leaves its turns running, and gives each one answer to who retries elsewhere under its key', async () => {
    const held = hold(say(request => `R ${request.messages.at(-1)?.content}`));
    model.script(held.script);
    const asked = await Promise.all(
      ['cedo', 'tarde', 'nunca'].map(async key => ({ key, conversationId: await service.newConversation() })),
    );
    const ask = (through: Service, { key, conversationId }: (typeof asked)[number]) => {
      const headers: Record<string, string> = key === 'nunca' ? {} : { 'idempotency-key': key };
      return through.ask(`${key}?`, { conversationId }, { headers });
    };
    const lost = asked.map(one =>
      ask(api.service, one).then(
        () => false,
        () => true,
      ),
    );
    await eventually(() => model.requests.length, 3);
    api.kill('SIGKILL');
    expect(await Promise.all(lost)).to.deep.equal([true, true, true]);

    const [early, late, unkeyed] = asked as [
      (typeof asked)[number],
      (typeof asked)[number],
      (typeof asked)[number],
    ];
    const waiting = ask(service, early);
    held.release();
    const answered = await waiting;
    expect(answered.body.data.assistantResponse.string).to.equal('R cedo?');
    const said = () => Promise.all(asked.map(({ conversationId }) => listMessageTexts(db, conversationId)));
    const all = await eventually(said, seen => seen.every(messages => messages.length === 2));
    expect(all).to.deep.equal(asked.map(({ key }) => [`user: ${key}?`, `assistant: R ${key}?`]));
    const found = await ask(service, late);
    expect(found.body.data.assistantResponse.string).to.equal('R tarde?');
    expect(model.requests).to.have.length(3);
    const next = await service.ask('E agora?', { conversationId: unkeyed.conversationId });
    expect(next.status).to.equal(200);
    expect(await said()).to.have.nested.property('[0].length', 2);
  });

  it('in the middle of a stream loses no answer: it is stored, and its key gives it as a whole', async () => {
    let goOn = () => {};
    const heldBack = new Promise<void>(resolve => (goOn = resolve));
    const pieces = ['A secretaria ', 'atende ', 'das 8h às 21h.'];
    model.script(sayInPieces(pieces, async at => (at === 1 ? heldBack : undefined)));
    const conversationId = await service.newConversation();
    const body = { conversationId, question: 'Qual é o horário?' };
    const headers = { 'idempotency-key': 'meio' };
    const cut = await openEvents(api.service, body, headers);
    expect(cut.response.status).to.equal(200);
    await cut.waitForText('A secretaria ');
    api.kill('SIGKILL');
    await api.ended;
    expect(await cut.readAll().catch(() => 'broken off')).to.equal('broken off');
    // One that comes while the model still writes, and one that comes later.
    const waiting = openEvents(service, body, headers);
    goOn();
    for (const again of [await waiting, await openEvents(service, body, headers)]) {
      const events = await again.readAll();
      expect(events.map(({ event }) => event)).to.deep.equal(['delta', 'answer']);
      expect(again.text()).to.equal(pieces.join(''));
      expect(events.at(-1)?.data.data.assistantResponse.string).to.equal(pieces.join(''));
    }
    expect(await listMessageTexts(db, conversationId)).to.deep.equal([
      `user: ${body.question}`,
      `assistant: ${pieces.join('')}`,
    ]);
    expect(model.requests).to.have.length(1);
  });
});
