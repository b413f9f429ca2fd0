import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type Refusal, refusals } from '../../queues/contract/failure.ts';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { textOfStore } from '../support/queue-store.ts';
import { makeWav, readRecording } from '../support/recordings.ts';
import { fail, hear, hold, sayInPieces } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const SPOKEN = 'Qual é o horário da secretaria?';

describe('a recording', () => {
  const service = openOwnService({
    requestTimeoutMs: 60_000,
    transcriptionModel: 'whisper-1',
    egressAllowPrivate: true,
    modelPrices: { 'whisper-1': { minute: 0.006 }, scripted: 1 },
  });
  const { demo, model } = service;
  const conversation = openConversation(service);
  const files = openOnce(async () => {
    const server = createServer((request, response) => {
      if (request.url === '/mudou.ogg') response.writeHead(302, { location: '/nota.ogg' }).end();
      else if (request.url === '/sempre.ogg') response.writeHead(302, { location: '/sempre.ogg' }).end();
      else if (request.url === '/nota.ogg') response.end(readRecording('tone.ogg'));
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
  });
  beforeEach(() => {
    model.reset();
    model.onTranscription = hear(SPOKEN);
  });

  const ogg = { type: 'audio', content_type: 'audio/ogg' };
  const sent = (bytes = readRecording('tone.ogg'), more: object = {}) => ({
    ...ogg,
    content_base64: bytes.toString('base64'),
    ...more,
  });
  const at = (path: string) => ({ ...ogg, url: `${files.url}${path}` });
  const speak = (attachments: readonly object[] = [sent()], more: Fields = {}, headers = {}) =>
    conversation.ask(undefined, { attachments, ...more }, { headers });
  const kept = () => service.db('turn_attachments').select('content', 'transcript');
  const expectRefused = ({ status, body }: ApiResponse, refusal: Refusal) =>
    expect([status, body.message], JSON.stringify(body)).to.deep.equal(refusals[refusal]);

  it('is the message of the person, which says that it was spoken and how long', async () => {
    model.say('Das 8h às 21h.');
    const { status, data, receipt } = await speak([sent()], withReceipt);
    expect([status, data?.question]).to.deep.equal([200, SPOKEN]);
    const said = [`user: [áudio 0:02] ${SPOKEN}`, 'assistant: Das 8h às 21h.'];
    expect(await conversation.said()).to.deep.equal(said);
    expect(model.requests.at(-1)?.messages.at(-1)).to.include({ role: 'user', content: SPOKEN });
    const [heard, ...others] = model.transcriptionRequests;
    expect(others).to.deep.equal([]);
    expect([heard?.model, heard?.fileName]).to.deep.equal(['whisper-1', 'audio.ogg']);
    expect(heard?.headers['x-parley-purpose']).to.equal('transcription');
    expect(heard?.bytes.equals(readRecording('tone.ogg'))).to.equal(true);
    const called = data.restStatus.map(({ name }: Fields) => name);
    expect(called).to.deep.equal(['model:whisper-1', 'model:scripted']);
    const [call] = receipt.modelCalls;
    expect(call).to.deep.include({ name: 'whisper-1', status: 200, cost: '0.0002' });
    expect(await kept()).to.deep.equal([]);
  });

  it('may stand at an address that leads to another, beside a question and beside others', async () => {
    const attachments = [at('/mudou.ogg'), sent(makeWav(65))];
    const { status, data } = await speak(attachments, { question: 'Ouça isto:' });
    expect([status, data?.question]).to.deep.equal([200, `Ouça isto:\n${SPOKEN}\n${SPOKEN}`]);
    const [heard] = await conversation.said();
    expect(heard).to.equal(`user: Ouça isto:\n[áudio 0:02] ${SPOKEN}\n[áudio 1:05] ${SPOKEN}`);
  });

  it('is heard first by a client that reads the answer while it is generated, and by one that comes later', async () => {
    const words = `${SPOKEN} `.repeat(100).trim();
    model.onTranscription = hear(words);
    model.script(sayInPieces(['Das 8h ', 'às 21h.']));
    const body = { conversationId: conversation.id, attachments: [sent()], question: 'Ouça:' };
    const key = { 'idempotency-key': randomUUID() };
    for (const _caller of [1, 2]) {
      const events = await (await openEvents(service, body, key)).readAll();
      expect(events[0]).to.deep.equal({ event: 'heard', data: { text: `Ouça:\n${words}` } });
      expect(events.filter(({ event }) => event === 'heard')).to.have.length(1);
      expect(events.at(-1)?.data.data.question).to.equal(events[0]?.data.text);
    }
  });

  it('is heard before the model answers', async () => {
    const held = hold(sayInPieces(['Das 8h.']));
    model.script(held.script);
    const client = await openEvents(service, { conversationId: conversation.id, attachments: [sent()] });
    await held.held;
    await eventually(() => client.events[0]?.data.text, SPOKEN);
    held.release();
    expect((await client.readAll()).map(({ event }) => event)).to.include.members(['heard', 'answer']);
  });

  it('finds knowledge by its words', async () => {
    const { retrieval } = (await speak([sent()], withReceipt)).receipt;
    expect(retrieval.query).to.equal(SPOKEN);
    expect(retrieval.chunks).to.not.deep.equal([]);
  });

  it('never enters the store of the queue', async () => {
    const held = hold();
    model.script(held.script);
    const bytes = makeWav(20);
    const asked = speak([sent(bytes)]);
    await held.held;
    expect((await textOfStore(service.settings)).length).to.be.below(bytes.length / 2);
    held.release();
    expect((await asked).status).to.equal(200);
  });

  it('is transcribed once for all callers under a key, and for a retry after the model failed', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const speakAgain = () => speak([sent()], {}, key);
    model.script(fail(400));
    expectRefused(await speakAgain(), 'model-unavailable');
    expect(await kept()).to.deep.equal([{ content: null, transcript: SPOKEN }]);
    model.say('Às 8h.');
    const answers = [...(await Promise.all([speakAgain(), speakAgain()])), await speakAgain()];
    expect(answers.map(({ text }) => text)).to.deep.equal(Array(3).fill('Às 8h.'));
    expect(model.transcriptionRequests).to.have.length(1);
    expect(await conversation.said()).to.deep.equal([`user: [áudio 0:02] ${SPOKEN}`, 'assistant: Às 8h.']);
    await eventually(kept, []);
    expectRefused(await speak([sent(readRecording('tone.mp3'))], {}, key), 'key-reused');
  });

  it('is transcribed once where the database goes away when it was heard', async () => {
    const locking = await service.db.transaction();
    model.onTranscription = async (request, response) => {
      await locking('turn_attachments').select('id').forUpdate();
      await hear(SPOKEN)(request, response);
    };
    const asked = speak();
    await waitForLock(locking);
    await rowsOf(locking)`
      select pg_terminate_backend(pid) from pg_locks
      where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`;
    await locking.rollback();
    const { status, data } = await asked;
    expect([status, data?.question]).to.deep.equal([200, SPOKEN]);
    expect(model.transcriptionRequests).to.have.length(1);
  });

  it('asks for a spoken answer where the avatar gives them', async () => {
    const edit = (answer_in_audio: boolean) =>
      demo.call('editAvatar', { avatar_id: demo.avatarId, answer_in_audio });
    const isAudio = async () => (await speak()).data.assistantResponse.isAudio;
    expect(await isAudio()).to.equal(false);
    expect((await edit(true)).body.data.answer_in_audio).to.equal(true);
    expect(await isAudio()).to.equal(true);
    // While a person answers, there is nothing to speak.
    const conversationId = conversation.id;
    await demo.call('updateConversation', { conversationId, ask_human_help: true });
    await demo.call('appendMessage', { conversationId, content: 'Aqui é a Bia.', author: 'human' });
    expect((await speak()).data.assistantResponse).to.deep.equal({
      string: '',
      wppParsed: [],
      isAudio: false,
    });
    expect((await service.ask('Oi?')).data.assistantResponse.isAudio).to.equal(false);
    expect((await edit(false)).body.data.answer_in_audio).to.equal(false);
  });

  it('is refused by name where it is not one, too long, empty, or not there, and nothing is kept or charged', async () => {
    const cases: readonly [object, RegExp][] = [
      [sent(Buffer.from('Olá, isto é um texto.')), /no recording/],
      [sent(readRecording('tone.ogg').subarray(0, 40)), /no recording/],
      [sent(readRecording('vorbis.ogg')), /no recording in Ogg or WebM \(Opus\), MP3, M4A \(AAC\) or WAV/],
      [sent(makeWav(601)), /longer than 10 minutes/],
      [sent(Buffer.alloc(0)), /is empty/],
      [sent(undefined, { content_base64: 'isto não é base64' }), /not base64/],
      [ogg, /exactly one/],
      [sent(undefined, { url: files.url }), /exactly one/],
      [at('/nada.ogg'), /gone/],
      [at('/sempre.ogg'), /unreachable/],
      [{ ...at(''), url: 'ftp://exemplo.example/a.ogg' }, /http or https/],
    ];
    for (const [attachment, message] of cases)
      expectWrong(await speak([sent(), attachment], { question: 'E?' }), 'attachments[1]', message);
    expectWrong(await speak([]), 'attachments', 'at least 1');
    expectWrong(await speak(Array.from({ length: 6 }, () => sent())), 'attachments', 'at most 5');
    expect(model.transcriptionRequests).to.deep.equal([]);
    expect(await conversation.said()).to.deep.equal([]);
    expect(await kept()).to.deep.equal([]);
  });

  it('is refused where all of them are too large', async () => {
    const large = sent(makeWav(1_500));
    expectRefused(await speak([large, large]), 'document-too-large');
  });

  it('that the transcriber refuses, or in which it hears no words or too many, is a 400; one that it cannot do is a 503', async () => {
    model.onTranscription = (_request, response) => void response.writeHead(400).end('{}');
    expectWrong(await speak(), 'attachments[0]', /refused by the model/);
    model.onTranscription = hear('  ');
    expectWrong(await speak(), 'attachments[0]', /without words/);
    model.onTranscription = hear('x'.repeat(20_000));
    expectWrong(await speak(), 'attachments[0]', /over 16000 characters/);
    for (const text of [undefined, 7]) {
      model.onTranscription = hear(text);
      expectRefused(await speak(), 'transcription-unavailable');
    }
    model.onTranscription = (_request, response) => void response.end('<html>');
    expectRefused(await speak(), 'transcription-unavailable');
    expect(model.requests).to.deep.equal([]);
    expect(await conversation.said()).to.deep.equal([]);
    expect(await kept()).to.deep.equal([]);
  });

  it('is masked like what is written', async () => {
    await service.db('hosts').where({ id: demo.hostId }).update({ mask: true });
    model.onTranscription = hear('Meu CPF é 529.982.247-25.');
    await speak();
    await service.db('hosts').where({ id: demo.hostId }).update({ mask: false });
    expect(model.requests.at(-1)?.messages.at(-1)?.content).to.equal('Meu CPF é [CPF_1].');
    expect((await conversation.said())[0]).to.equal('user: [áudio 0:02] Meu CPF é 529.982.247-25.');
  });

  const setBudget = (monthly_budget: string | null) =>
    service.db('hosts').where({ id: demo.hostId }).update({ monthly_budget });

  it('counts against the budget of the host by its length', async () => {
    await setBudget('0.000001');
    const refused = await speak();
    await setBudget(null);
    expectRefused(refused, 'budget-exceeded');
    expect(model.transcriptionRequests).to.deep.equal([]);
  });

  it('counts against the budget with what the provider reports, which the next call sees', async () => {
    await setBudget('0.15');
    const told = JSON.stringify({ text: SPOKEN, usage: { type: 'duration', seconds: 1_999 } });
    model.onTranscription = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(told);
    for (let turn = 0; turn < 2; turn += 1) expectRefused(await speak(), 'budget-exceeded');
    await setBudget(null);
    expect([model.transcriptionRequests.length, model.requests]).to.deep.equal([1, []]);
  });

  it('is in the spend of the host by its length', async () => {
    const [startDate, endDate] = [-3_600_000, 3_600_000].map(by => new Date(Date.now() + by).toISOString());
    const readCost = async () => {
      const { body } = await demo.call('getSpend', { startDate, endDate });
      const { purposes } = body.data as { purposes: { purpose: string; cost: string }[] };
      return Number(purposes.find(({ purpose }) => purpose === 'transcription')?.cost ?? 0);
    };
    const before = await readCost();
    await speak([sent(makeWav(60))]);
    // A call of the tests before may be recorded meanwhile: they are of two seconds.
    await eventually(readCost, cost => cost > before + 0.0059);
  });

  it('is exported and erased with the person while its turn waits', async () => {
    await conversation.ask('Oi?', { userData: { email: 'ana@ouvida.example' } });
    const attached = { host_id: demo.hostId, conversation_id: conversation.id };
    await service.db('turn_attachments').insert({ ...attached, content: readRecording('tone.ogg') });
    const { tables } = await exportPerson(service.db, demo.hostId, 'ana@ouvida.example');
    expect(tables['turn_attachments']).to.have.length(1);
    const { rows } = await erasePerson(service.db, demo.hostId, 'ana@ouvida.example');
    expect(rows['turn_attachments']).to.equal(1);
  });
});
