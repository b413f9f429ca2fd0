import { expect } from 'chai';
import { boletoOf } from '../domain/boleto.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

describe('the messages of a conversation', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service);
  beforeEach(() => model.say('Certo.'));

  const list = async (body: Fields = {}) =>
    (await demo.call('listMessages', { conversationId: conversation.id, ...body })).body.data;
  const append = (content: string, more: Fields = {}) =>
    demo.call('appendMessage', { conversationId: conversation.id, author: 'human', content, ...more });
  const subscribe = async (): Promise<string> =>
    (await demo.make('saveWebhook', { events: ['message.sent'] })).webhookId;
  /** An attempt that is on its way no longer counts. */
  const end = (webhook_id: string, state: string, more: Fields = {}) => {
    const ended = { state, is_claimed: false, claim: service.db.raw('claim + 1') };
    return service
      .db('deliveries')
      .where({ webhook_id })
      .update({ ...ended, ...more });
  };
  const textsOf = (items: Fields[]) => items.map(({ content }) => content);
  const walk = async (limit: number) => {
    const pages: Fields[][] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const page = await list({ limit, ...(cursor === undefined ? {} : { cursor }) });
      pages.push(page.items);
      cursor = page.nextCursor;
    }
    return pages;
  };

  it('are what was said by each, oldest first, those before the last divider too', async () => {
    await conversation.ask('Antes?');
    await demo.call('updateConversation', { conversationId: conversation.id, closed: true });
    await append('Aqui é a *Bia*.', { name: 'Bia' });
    await append('De outro canal', { author: 'user' });
    const { items, nextCursor } = await list();
    expect(nextCursor).to.equal(null);
    const [asked, , , last] = items;
    expect(asked.turnId).to.match(/^k[0-9a-f]+$/);
    const short = ({ turnId, ...message }: Fields) => [
      turnId === asked.turnId,
      ...['author', 'name', 'content', 'wppParsed'].map(field => message[field]),
    ];
    expect(items.map(short)).to.deep.equal([
      [true, 'user', null, 'Antes?', []],
      [true, 'assistant', null, 'Certo.', [{ type: 'text', content: 'Certo.' }]],
      [false, 'human', 'Bia', 'Aqui é a *Bia*.', []],
      [false, 'user', null, 'De outro canal', []],
    ]);
    expect(Object.keys(last).toSorted().join(' ')).to.equal(
      'attachments author content createdAt delivery feedback fromChannel messageId name nextAttemptAt personId sources turnId unsupported wppParsed',
    );
    expect(new Date(last.createdAt).toISOString()).to.equal(last.createdAt);
    expect(new Set(items.map(({ messageId }: Fields) => messageId)).size).to.equal(4);
  });

  it('have answers as they were sent: a payment code that only the person wrote stays text', async () => {
    const [known, foreign] = [boletoOf(1), boletoOf(2)];
    model.say(`**Pague** ${known} ou ${foreign}, em https://a.example/b.png`);
    const { data } = await conversation.ask(`Pago ${foreign}?`, { contextData: `Boleto: ${known}` });
    const { wppParsed } = data.assistantResponse;
    const payable = wppParsed.filter(({ type }: Fields) => type === 'boleto');
    expect(payable).to.deep.equal([{ type: 'boleto', content: known }]);
    expect((await list()).items[1].wppParsed).to.deep.equal(wppParsed);
  });

  it('have the figures of an answer that stood nowhere, as its turn returned them', async () => {
    model.say('A taxa é R$ 123,45.');
    const { unsupported } = (await conversation.ask('Quanto é a taxa?')).data;
    expect(unsupported).to.have.length(1);
    const { items } = await list();
    expect(items.map((message: Fields) => message['unsupported'])).to.deep.equal([[], unsupported]);
  });

  it('of staff say what became of them on their way to the channel', async () => {
    const deliveryOf = async () => (await list()).items.at(-1).delivery;
    await service.db('webhooks').delete();
    await append('Ninguém ouve');
    expect(await deliveryOf()).to.equal(null);
    const [first, second] = [await subscribe(), await subscribe()];
    await append('Oi');
    expect(await deliveryOf()).to.equal('pending');
    await end(first, 'dead');
    expect(await deliveryOf()).to.equal('pending');
    await end(second, 'dead');
    expect(await deliveryOf()).to.equal('failed');
    await end(second, 'delivered');
    expect(await deliveryOf()).to.equal('delivered');
    await append('De outro canal', { author: 'user' });
    expect(await deliveryOf()).to.equal(null);
    await service.db('webhooks').delete();
  });

  it('of staff say when they are tried again, from the first failure on', async () => {
    const nextOf = async () => {
      const { delivery, nextAttemptAt } = (await list()).items.at(-1);
      return [delivery, nextAttemptAt];
    };
    await service.db('webhooks').delete();
    const [first, second] = [await subscribe(), await subscribe()];
    await append('Oi');
    const put = (webhookId: string, attempts: number, due_at: string) =>
      end(webhookId, 'pending', { attempts, due_at });
    const atHour = (hour: number) => `2096-03-02T0${hour}:00:00.000Z`;
    const [sooner, later, afterPause] = [atHour(5), atHour(7), atHour(6)];
    await put(first, 0, sooner);
    await put(second, 0, later);
    await service.db('webhook_lanes').delete();
    expect(await nextOf()).to.deep.equal(['pending', null]);
    await put(second, 1, later);
    expect(await nextOf()).to.deep.equal(['pending', later]);
    await put(first, 1, sooner);
    expect(await nextOf()).to.deep.equal(['pending', sooner]);
    // A delivery that was not tried waits for the pause of its webhook, too.
    await put(first, 0, sooner);
    const lane = { host_id: demo.hostId, webhook_id: first, failures: 9, paused_until: afterPause };
    await service.db('webhook_lanes').insert(lane);
    expect(await nextOf()).to.deep.equal(['pending', afterPause]);
    for (const id of [first, second]) await end(id, 'dead');
    expect(await nextOf()).to.deep.equal(['failed', null]);
    await service.db('webhooks').delete();
  });

  it('come in smaller pages where they are long, and all of them come', async () => {
    await service.db.raw(
      `insert into messages (host_id, conversation_id, author, content)
       select ?, ?, 'user', repeat(chr(1), 15000) || n from generate_series(1, 60) n`,
      [demo.hostId, conversation.id],
    );
    const pages = await walk(100);
    for (const page of pages) expect(JSON.stringify(page).length).to.be.below(1_100_000);
    const ends = pages.flatMap(textsOf).map(text => Number(String(text).slice(15_000)));
    expect(ends).to.deep.equal(Array.from({ length: 60 }, (_, n) => n + 1));
    expect(pages.length).to.be.within(2, 6);
  });
});
