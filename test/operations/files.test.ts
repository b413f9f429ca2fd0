import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { makeFileSeal } from '../../platform/file-seal.ts';
import type { EventData } from '../../queues/contract/events.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { PNG } from '../support/recordings.ts';
import { openService } from '../support/service.ts';

const PDF = Buffer.concat([Buffer.from('%PDF-1.7 boleto '), Buffer.alloc(400_000, 'canário')]);

const NONE = { id: '', url: '' };

describe('files that staff send', () => {
  const service = openService();
  const { demo, acme, db } = service;
  const conversation = openConversation(service);

  const boleto = (bytes: Buffer = PDF, name = 'boleto.pdf') => ({
    name,
    content_base64: bytes.toString('base64'),
  });
  const send = (attachments: readonly object[], more: Fields = {}, options = {}) =>
    demo.call(
      'appendMessage',
      { conversationId: conversation.id, author: 'human', name: 'Bia', attachments, ...more },
      options,
    );
  const list = async (): Promise<DataOf<'listMessages'>['items']> =>
    (await demo.call('listMessages', { conversationId: conversation.id })).body.data.items;
  const filesOf = async () => (await list())[0]?.attachments ?? [];
  /** The files of the one message, as its event tells them. */
  const told = async (): Promise<EventData<'message.sent'>['attachments']> => {
    const [event] = await db('events')
      .where({ conversation_id: conversation.id, type: 'message.sent' })
      .select('data');
    return event.data.attachments;
  };
  const urlOf = async () => (await told())[0]?.url ?? '';
  const stored = () => db('files').where({ conversation_id: conversation.id });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, service.baseURL), { headers });
  const sessionOf = async (token: string): Promise<string> => {
    const { headers } = await service.call('/console/sign-in', undefined, { token, method: 'POST' });
    return headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  before(() => demo.make('saveWebhook', { events: ['message.sent'] }));

  it('reach the channel by an address that needs no token, to the byte, as a download that no page runs', async () => {
    expect((await send([boleto(), boleto(PNG, '../foto.html')], { content: 'Segue.' })).status).to.equal(201);
    const [first, second] = await told();
    const { url = '', ...about } = first ?? {};
    expect(about).to.deep.include({ name: 'boleto.pdf', content_type: 'application/pdf', size: PDF.length });
    expect(second).to.include({ content_type: 'image/png', size: PNG.length });
    expect(new URL(url).origin).to.equal(service.baseURL);
    const answer = await get(url);
    expect(answer.status).to.equal(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(PDF)).to.equal(true);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).to.include({
      'content-type': 'application/pdf',
      'content-length': `${PDF.length}`,
      'content-disposition': 'attachment; filename="boleto.pdf"',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect((await get(second?.url ?? '')).headers.get('content-disposition')).to.match(/^attachment; /);
  });

  it('have an address that ends, and that nobody can change', async () => {
    await send([boleto()]);
    const url = new URL(await urlOf());
    const statusWith = async (name: string, value: string) => {
      const changed = new URL(url);
      changed.searchParams.set(name, value);
      return (await get(changed.href)).status;
    };
    const seconds = Number(url.searchParams.get('expires')) - Date.now() / 1_000;
    expect(seconds / 86_400).to.be.closeTo(7, 0.01);
    expect(await statusWith('signature', 'x')).to.equal(404);
    expect(await statusWith('expires', `${Number(url.searchParams.get('expires')) + 1}`)).to.equal(404);
    const expired = { hostId: demo.hostId, id: (await told())[0]?.id ?? '', expires: 1_700_000_000 };
    const signature = makeFileSeal(service.settings).sign(expired);
    const ended = await get(`${url.pathname}?expires=${expired.expires}&signature=${signature}`);
    expect(ended.status).to.equal(410);
    expect((await get(url.href.replace(demo.hostId, acme.hostId))).status).to.equal(404);
    expect((await get(url.pathname)).status).to.equal(401);
  });

  it('are listed with their message, which the assistant reads as a line, and are one message however often it is sent', async () => {
    const options = { headers: { 'idempotency-key': `files-${conversation.id}` } };
    for (const _time of ['first', 'again'])
      expect((await send([boleto()], {}, options)).status).to.equal(201);
    const items = await list();
    expect(items.map(({ content }) => content)).to.deep.equal(['[arquivo: boleto.pdf]']);
    const [{ id, url, ...file } = NONE] = await filesOf();
    expect(file).to.deep.equal({
      name: 'boleto.pdf',
      content_type: 'application/pdf',
      size: PDF.length,
      kept: true,
      transcript: null,
    });
    expect(url).to.equal(`/files/${demo.hostId}/${id}`);
    expect(await stored().select('id')).to.deep.equal([{ id }]);
    expect((await told())[0]).to.include({ id });
  });

  it('are served to sessions of their host, pictures within a page, and to nobody else', async () => {
    await send([boleto(PNG, 'foto.png'), boleto()]);
    const [picture = NONE, document = NONE] = await filesOf();
    const [own, foreign] = [await sessionOf(demo.token), await sessionOf(acme.token)];
    const shown = await get(picture.url, { cookie: own });
    expect(shown.headers.get('content-disposition')).to.match(/^inline; /);
    expect(Buffer.from(await shown.arrayBuffer()).equals(PNG)).to.equal(true);
    expect((await get(document.url, { cookie: own })).headers.get('content-disposition')).to.match(
      /^attachment; /,
    );
    expect((await get(picture.url, { cookie: foreign })).status).to.equal(404);
    expect((await get(picture.url.replace(/[^/]+$/, demo.hostId), { cookie: own })).status).to.equal(404);
    expect((await get(picture.url, { authorization: `Bearer ${demo.token}` })).status).to.equal(401);
  });

  it('are sent in any part that a player asks for', async () => {
    await send([boleto()]);
    const url = await urlOf();
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 10],
      ['bytes=49135-49137', 49_135, 49_138],
      [`bytes=${PDF.length - 3}-`, PDF.length - 3, PDF.length],
    ] as const) {
      const part = await get(url, { range });
      expect([part.status, part.headers.get('content-range')]).to.deep.equal([
        206,
        `bytes ${from}-${to - 1}/${PDF.length}`,
      ]);
      expect(Buffer.from(await part.arrayBuffer()).equals(PDF.subarray(from, to)), range).to.equal(true);
    }
    expect((await get(url, { range: `bytes=${PDF.length}-` })).status).to.equal(416);
  });

  it('stand in the database sealed, and one of which a byte was changed is not sent whole', async () => {
    await send([boleto()]);
    const [{ content }] = await stored().select('content');
    expect(content.includes('canário')).to.equal(false);
    await rowsOf(db)`
      update files set content = set_byte(content, 300000, get_byte(content, 300000) # 1)
      where conversation_id = ${conversation.id}`;
    const read = get(await urlOf()).then(answer => answer.arrayBuffer());
    expect(
      await read.then(
        ({ byteLength }) => byteLength,
        () => 'broken off',
      ),
    ).to.equal('broken off');
  });

  it('are refused by name, and leave nothing', async () => {
    const content = 'Oi';
    expectWrong(await send([boleto()], { author: 'note', content }), 'attachments', /author human/);
    expectWrong(await send([boleto()], { author: 'user', content }), 'attachments', /author human/);
    expectWrong(await send([{ name: 'x' }]), 'attachments[0].content_base64', /required/);
    expectWrong(await send([{ content_base64: '%%' }]), 'attachments[0]', /base64/);
    expectWrong(await send(Array.from({ length: 6 }, () => boleto(PNG))), 'attachments', /at most 5/);
    const missing = await send([boleto()], { conversationId: demo.hostId });
    expect([missing.status, missing.body.message]).to.deep.equal([404, 'Conversation not found']);
    expect((await send([boleto(Buffer.alloc(16 * 1_048_576 + 1))])).status).to.equal(413);
    expect(await list()).to.deep.equal([]);
  });

  it('are refused above the quota of their host, which counts no request twice, and leave nothing', async () => {
    const [stored] = await rowsOf<{ bytes: string }>(db)`
      select coalesce(sum(size), 0) as bytes from files where host_id = ${demo.hostId}`;
    const quota = Math.ceil(Number(stored?.bytes) / 1_048_576) + 1;
    await db('hosts').where({ id: demo.hostId }).update({ files_quota_mb: quota });
    const room = quota * 1_048_576 - Number(stored?.bytes);
    const options = { headers: { 'idempotency-key': `quota-${conversation.id}` } };
    const fits = [boleto(Buffer.alloc(room, 'x'))];
    expect((await send(fits, {}, options)).status).to.equal(201);
    expectRefused(await send([boleto(Buffer.from('x'))]), 'files-full');
    expect((await send(fits, {}, options)).status).to.equal(201);
    expect(await filesOf()).to.have.length(1);
    expect(await list()).to.have.length(1);
  });
});
