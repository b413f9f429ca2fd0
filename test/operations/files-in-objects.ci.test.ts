import { expect } from 'chai';
import { purgeFiles } from '../../db/conversations/files.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeObjectStore } from '../../platform/object-store.ts';
import { deleteObjects } from '../../workers/conversations/delete-objects.ts';
import { expectRefused } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import { type ObjectServer, startObjectServer } from '../support/object-server.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { PNG } from '../support/recordings.ts';
import { openOwnService } from '../support/service.ts';

const PDF = Buffer.concat([Buffer.from('%PDF-1.7 boleto '), Buffer.alloc(700_000, 'canário')]);

describe('files that lie in an object store', () => {
  const objects: ObjectServer = openOnce(startObjectServer);
  const service = openOwnService(() => ({ ...objects.settings, visionModels: ['scripted'] }));
  const { db, demo, model } = service;
  const conversation = openConversation(service);
  const store = () => makeObjectStore(objects.settings, { noteFailure() {}, noteSuccess() {} });
  beforeEach(async () => {
    objects.isAway = false;
    await db('hosts').where({ id: demo.hostId }).update({ keep_attachments: 30 });
    model.say('Certo.');
    // Nothing lies there of the test before.
    await db('files').delete();
    await clear();
    expect(await objects.list()).to.deep.equal([]);
  });

  const boleto = { name: 'boleto.pdf', content_base64: PDF.toString('base64') };
  const picture = {
    type: 'image',
    content_type: 'image/png',
    name: 'foto.png',
    content_base64: PNG.toString('base64'),
  };
  const send = (more: Fields = {}, options = {}) =>
    demo.call(
      'appendMessage',
      { conversationId: conversation.id, author: 'human', name: 'Bia', attachments: [boleto], ...more },
      options,
    );
  const list = async () =>
    (await demo.call('listMessages', { conversationId: conversation.id })).body.data.items;
  const stored = () => db('files').where({ conversation_id: conversation.id });
  /** Deletes all objects that no file has, as if their time had come. */
  const clear = async () => {
    await db('file_objects').update({ due_at: db.raw('now()') });
    await deleteObjects(db, store());
  };
  const told = async () => {
    const [event] = await db('events')
      .where({ conversation_id: conversation.id, type: 'message.sent' })
      .select('data');
    return new URL(event.data.attachments[0].url, service.baseURL);
  };
  const sessionOf = async () => {
    const { headers } = await service.call('/console/sign-in', undefined, {
      token: demo.token,
      method: 'POST',
    });
    return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  before(() => demo.make('saveWebhook', { events: ['message.sent'] }));

  it('reach the channel to the byte and in parts, sealed there, with no byte of them in PostgreSQL', async () => {
    expect((await send()).status).to.equal(201);
    const [row] = await stored();
    expect(await objects.list()).to.deep.equal([`${demo.hostId}/${row.object_id}`]);
    expect(row.content).to.have.length(0);
    const sealed = await store()?.read(`${demo.hostId}/${row.object_id}`, 0, PDF.length);
    expect(sealed?.length).to.equal(PDF.length);
    expect(sealed?.includes('canário')).to.equal(false);
    const answer = await fetch(await told());
    expect(answer.headers.get('content-type')).to.equal('application/pdf');
    expect(Buffer.from(await answer.arrayBuffer()).equals(PDF)).to.equal(true);
    const part = await fetch(await told(), { headers: { range: 'bytes=500000-500009' } });
    expect(Buffer.from(await part.arrayBuffer()).equals(PDF.subarray(500_000, 500_010))).to.equal(true);
    expect(await db('file_objects')).to.deep.equal([]);
  });

  it('are kept of people, too, and served to sessions', async () => {
    expect((await conversation.ask('Veja', { attachments: [picture] })).status).to.equal(200);
    const [{ attachments }] = await list();
    expect(await objects.list()).to.have.length(1);
    const shown = await fetch(`${service.baseURL}${attachments[0].url}`, { headers: await sessionOf() });
    expect(Buffer.from(await shown.arrayBuffer()).equals(PNG)).to.equal(true);
  });

  it('that lie in PostgreSQL stay readable there', async () => {
    const { filesS3Url: _, ...settings } = service.settings;
    expect(makeObjectStore(settings, { noteFailure() {}, noteSuccess() {} })).to.equal(undefined);
    await send();
    const [{ object_id: id }] = await stored();
    const content = await store()?.read(`${demo.hostId}/${id}`, 0, 2 * PDF.length);
    await stored().update({ content, object_id: null });
    await db('file_objects').insert({ host_id: demo.hostId, object_id: id, due_at: new Date() });
    const read = await fetch(await told());
    expect(Buffer.from(await read.arrayBuffer()).equals(PDF)).to.equal(true);
  });

  it('are one file however often they are sent, and what a repeat has put there is deleted', async () => {
    const options = { headers: { 'idempotency-key': `objects-${conversation.id}` } };
    for (const _time of ['first', 'again']) expect((await send({}, options)).status).to.equal(201);
    const [{ object_id: id }] = await stored();
    await clear();
    expect(await objects.list()).to.deep.equal([`${demo.hostId}/${id}`]);
    const read = await fetch(await told());
    expect(Buffer.from(await read.arrayBuffer()).equals(PDF)).to.equal(true);
  });

  it('are refused, and leave nothing, while the store is away; a turn is answered and names what was not kept', async () => {
    objects.isAway = true;
    expectRefused(await send(), 'files-unavailable');
    expect(await list()).to.deep.equal([]);
    expect((await conversation.ask('Veja', { attachments: [picture] })).status).to.equal(200);
    expect((await list())[0].attachments.map(({ name, kept }: Fields) => [name, kept])).to.deep.equal([
      ['foto.png', false],
    ]);
    const told = service.logged.filter(line => line.includes('"file_store.lost"'));
    expect(told).to.have.length(2, 'the api and the worker say it once each');
  });

  it('are a plain 503 to who reads them then', async () => {
    await send();
    const url = await told();
    objects.isAway = true;
    const { status, headers } = await fetch(url);
    expect([status, headers.get('content-disposition')]).to.deep.equal([503, null]);
  });

  it('are deleted there with the person, with their time and with a message that was never stored, again until they are gone', async () => {
    await send();
    await conversation.ask('Oi', { userData: { email: 'ana@objetos.example' } });
    expect((await erasePerson(db, demo.hostId, 'ana@objetos.example')).rows['files']).to.equal(1);
    objects.isAway = true;
    await clear();
    expect(await db('file_objects').select('tries')).to.deep.equal([{ tries: 1 }]);
    objects.isAway = false;
    expect(await objects.list()).to.have.length(1);
    await clear();
    expect(await objects.list()).to.deep.equal([]);
    await conversation.restart();
    await send();
    await rowsOf(db)`update files set created_at = now() - interval '2 days'`;
    await purgeFiles(db, 1);
    await clear();
    expect([await objects.list(), await db('file_objects')]).to.deep.equal([[], []]);
  });

  it('cannot be given an object that is being deleted', async () => {
    await send();
    const [row] = await stored();
    await stored().delete();
    await db('file_objects').update({ tries: 1 });
    const again = await db('files')
      .insert(row)
      .then(() => 'stored', String);
    expect(again).to.match(/is being deleted/);
  });
});
