import { expect } from 'chai';
import { purgeFiles } from '../../db/conversations/files.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeFileSeal } from '../../platform/file-seal.ts';
import { DISK_FULL } from '../../queues/contract/failure.ts';
import { expectRefused } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { PNG, readRecording } from '../support/recordings.ts';
import { fail, hear } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const SPOKEN = 'Qual é o horário da secretaria?';

describe('what people send, where the host keeps it', () => {
  const service = openOwnService({
    requestTimeoutMs: 60_000,
    visionModels: ['scripted'],
    transcriptionModel: 'whisper-1',
  });
  const { db, demo, model } = service;
  const conversation = openConversation(service);
  beforeEach(async () => {
    model.reset();
    model.say('Certo.');
    model.onTranscription = hear(SPOKEN);
    await keepFor(30);
  });

  const keepFor = (days: number) => db('hosts').where({ id: demo.hostId }).update({ keep_attachments: days });
  const sent = (type: string, bytes: Buffer, name?: string) => ({
    type,
    content_type: 'application/octet-stream',
    content_base64: bytes.toString('base64'),
    ...(name === undefined ? {} : { name }),
  });
  const all = [
    sent('audio', readRecording('tone.ogg')),
    sent('image', PNG, 'boleto.png'),
    sent('file', Buffer.from('<p>edital de 2026</p>'), 'edital.html'),
  ].map(each => ({ ...each, content_type: each.type === 'file' ? 'text/html' : each.content_type }));
  const send = (attachments: readonly object[] = all, more: Fields = {}, options = {}) =>
    conversation.ask('Veja', { attachments, ...more }, options);
  const list = async () =>
    (await demo.call('listMessages', { conversationId: conversation.id })).body.data.items;
  const kept = () => db('files').where({ conversation_id: conversation.id });

  it('stands with the message of its turn: the picture, the sound with its words, the file', async () => {
    await send();
    const [asked, answered] = await list();
    expect(answered.attachments).to.deep.equal([]);
    expect(
      asked.attachments.map(({ id: _id, url: _url, kept: _kept, ...file }: Fields) => file),
    ).to.deep.equal([
      { name: null, content_type: 'audio/ogg', size: readRecording('tone.ogg').length, transcript: SPOKEN },
      { name: 'boleto.png', content_type: 'image/png', size: PNG.length, transcript: null },
      { name: 'edital.html', content_type: 'text/plain; charset=utf-8', size: 21, transcript: null },
    ]);
    const { headers } = await service.call('/console/sign-in', undefined, {
      token: demo.token,
      method: 'POST',
    });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const heard = await fetch(`${service.baseURL}${asked.attachments[0].url}`, { headers: { cookie } });
    expect(heard.headers.get('content-type')).to.equal('audio/ogg');
    expect(Buffer.from(await heard.arrayBuffer()).equals(readRecording('tone.ogg'))).to.equal(true);
  });

  it('is kept once of a turn that failed and was asked again, and not at all of one that was refused', async () => {
    const options = { headers: { 'idempotency-key': `kept-${conversation.id}` } };
    model.script(fail(500));
    expect((await send(all, {}, options)).status).to.equal(503);
    model.say('Certo.');
    expect((await send(all, {}, options)).status).to.equal(200);
    expect((await list())[0].attachments).to.have.length(3);
    expect(await kept()).to.have.length(3);
    await conversation.restart();
    expect((await send([...all, sent('image', Buffer.from('GIF'))])).status).to.equal(400);
    expect(await kept()).to.deep.equal([]);
  });

  it('is not kept by other hosts, nor of a rehearsal', async () => {
    const { status } = await send(all, { reasoningConfig: { rehearsal: true } });
    await keepFor(0);
    expect([status, (await send()).status]).to.deep.equal([200, 200]);
    expect(await kept()).to.deep.equal([]);
  });

  it('is gone after its days, at once where the host keeps nothing any more, and with the texts of its time', async () => {
    const age = (days: number) => rowsOf(db)`
      update files set created_at = now() - ${days} * interval '1 day' where conversation_id = ${conversation.id}`;
    await send();
    await age(29);
    await purgeFiles(db, undefined);
    expect(await kept()).to.have.length(3);
    await purgeFiles(db, 28);
    expect(await kept()).to.have.length(0);
    await send();
    await age(31);
    await purgeFiles(db, undefined);
    expect(await kept()).to.have.length(0);
    await send();
    await keepFor(0);
    await purgeFiles(db, undefined);
    expect(await kept()).to.have.length(0);
  });

  it('is named and not kept above the quota of the host, and the turn is answered as ever', async () => {
    await rowsOf(db)`
      insert into files (host_id, id, conversation_id, message_seq, place, size, sealed_key, content)
      select ${demo.hostId}, gen_random_uuid(), ${conversation.id}, 1, 0, 1048576, 'AAAA', '\\x00'`;
    await db('hosts').where({ id: demo.hostId }).update({ files_quota_mb: 1 });
    expect((await send()).status).to.equal(200);
    const [{ attachments }] = await list();
    expect(
      attachments.map(({ name, kept: isKept, transcript }: Fields) => [name, isKept, transcript]),
    ).to.deep.equal([
      [null, false, SPOKEN],
      ['boleto.png', false, null],
      ['edital.html', false, null],
    ]);
    expect(await kept().whereNot({ content: Buffer.of() })).to.have.length(1);
    await db('hosts').where({ id: demo.hostId }).update({ files_quota_mb: 10_240 });
    await conversation.restart();
    await send();
    expect((await list())[0].attachments.map(({ kept: isKept }: Fields) => isKept)).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it('is named and not kept on a full disk, which costs no answer, tells staff 503 and leaves nothing half', async () => {
    await db.raw(`
      create function refuse_page() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger refuse_page before insert on files
        for each row when (octet_length(new.content) > 0) execute function refuse_page()`);
    try {
      expect((await send()).status).to.equal(200);
      const named = await list();
      expect(named[0].attachments).to.have.length(3);
      expect(await kept().where({ kept: true })).to.deep.equal([]);
      const file = { name: 'boleto.png', content_base64: PNG.toString('base64') };
      const body = { conversationId: conversation.id, author: 'human', attachments: [file] };
      expectRefused(await demo.call('appendMessage', body), 'unavailable', { hint: DISK_FULL });
      expect(await list()).to.deep.equal(named);
      expect(await db('turn_attachments')).to.deep.equal([]);
      await db.raw(
        `create trigger refuse_page before insert on turn_attachments for each row execute function refuse_page()`,
      );
      expectRefused(await send(), 'unavailable', { hint: DISK_FULL });
      await db.raw(
        `create trigger refuse_page before insert on consents for each row execute function refuse_page()`,
      );
      const said = { conversationId: conversation.id, version: '1', textDigest: 'abc', channel: 'whatsapp' };
      expectRefused(await demo.call('saveConsent', said), 'unavailable', { hint: DISK_FULL });
      expect((await conversation.ask('E agora?')).status).to.equal(200);
      expect(await list()).to.have.length(4);
    } finally {
      await db.raw('drop function refuse_page cascade');
    }
  });

  it('is exported without its seal, and erased with the person', async () => {
    await send(all, { userData: { email: 'ana@anexos.example' } });
    const { tables } = await exportPerson(db, demo.hostId, 'ana@anexos.example');
    const [file, ...others] = tables['files'] as Fields[];
    expect(others).to.have.length(2);
    expect(Object.keys(file ?? {})).to.not.include.members(['sealed_key', 'content']);
    const { rows } = await erasePerson(db, demo.hostId, 'ana@anexos.example');
    expect(rows['files']).to.equal(3);
  });

  it('is sealed with a key of its own, which also a previous secret opens', async () => {
    await send();
    const [{ id, sealed_key: sealed }] = await kept();
    const { secretKey } = service.settings;
    const later = makeFileSeal({
      secretKey: 'another-secret-of-some-length-0123',
      secretKeyPrevious: [secretKey],
    });
    expect(await later.openKey(sealed, id)).to.have.length(32);
    const signed = { hostId: demo.hostId, id, expires: 1 };
    expect(later.isSigned(signed, makeFileSeal(secretKey).sign(signed))).to.equal(true);
  });
});
