import { expect } from 'chai';
import { openConversation } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { leaveCallsOpen } from '../support/open-calls.ts';
import { openEach } from '../support/opened.ts';
import { PNG, readRecording } from '../support/recordings.ts';
import { hear } from '../support/scripted-model.ts';
import type { Turn } from '../support/served-host.ts';
import { type CallOptions, openOwnService } from '../support/service.ts';

const tone = { type: 'audio', content_type: 'audio/ogg' };
const recording = { ...tone, content_base64: readRecording('tone.ogg').toString('base64') };
const boleto = { type: 'image', content_type: 'image/png', name: 'boleto.png' };
const picture = { ...boleto, content_base64: PNG.toString('base64') };

/** A call of the transcriber that is answered when the test says so. */
interface OpenTranscription {
  answer(words: string): void;
}

describe('a recording among messages in a row', () => {
  const service = openOwnService({
    requestTimeoutMs: 60_000,
    workerConcurrency: 3,
    transcriptionModel: 'whisper-1',
    visionModels: ['scripted'],
  });
  const { model } = service;
  const reasoningConfig = { burst: 'last', svcCompleteLog: true };
  const conversation = openConversation(service, { reasoningConfig });
  const open = openEach(() => {
    model.reset();
    return leaveCallsOpen(model);
  });
  let transcriptions: OpenTranscription[];
  beforeEach(() => {
    transcriptions = [];
    model.onTranscription = (request, response) =>
      void transcriptions.push({ answer: words => void hear(words)(request, response) });
  });

  const write = (question: string) => conversation.ask(question);
  const attach = (attachment: object, options?: CallOptions) =>
    conversation.ask(undefined, { attachments: [attachment] }, options);
  const transcription = async (): Promise<OpenTranscription> => {
    await eventually(() => transcriptions.length, 1);
    return transcriptions[0] as OpenTranscription;
  };
  const untilTurns = (count: number) => eventually(async () => (await conversation.turns()).length, count);
  const answerOf = ({ status, text, data: { question, supersededBy } }: Turn) => ({
    status,
    question,
    text,
    supersededBy,
  });

  it('is answered with the text after it, which waits for its words', async () => {
    const spoken = attach(recording);
    const heard = await transcription();
    const written = write('E aos sábados?');
    await untilTurns(2);
    expect(open.calls).to.have.length(0);
    heard.answer('Que horas abre?');
    const call = await open.nth(0);
    expect(call.said).to.deep.equal(['[áudio 0:02] Que horas abre?', 'E aos sábados?']);
    call.answer();
    const [first, second] = [await spoken, await written];
    const supersededBy = second.receipt.turnId;
    const ended = { status: 200, question: 'Que horas abre?', text: '', supersededBy };
    expect(answerOf(first)).to.deep.equal(ended);
    expect(answerOf(second)).to.include({ text: 'Certo.', supersededBy: undefined });
    expect(await conversation.said()).to.deep.equal([
      'user: [áudio 0:02] Que horas abre?',
      'user: E aos sábados?',
      'assistant: Certo.',
    ]);
    const kept = service.db('turn_attachments').where({ conversation_id: conversation.id });
    expect(await kept).to.deep.equal([]);
  });

  it('answers the text before it, too, once it is heard', async () => {
    const written = write('Oi!');
    const firstCall = await open.nth(0);
    const spoken = attach(recording);
    (await transcription()).answer('Que horas abre?');
    expect(await firstCall.aborted).to.equal(undefined);
    const call = await open.nth(1);
    expect(call.said).to.deep.equal(['Oi!', 'Que horas abre?']);
    call.answer();
    const [first, second] = [await written, await spoken];
    expect(answerOf(first)).to.include({ text: '', supersededBy: second.receipt.turnId });
    expect(answerOf(second)).to.include({ question: 'Que horas abre?', text: 'Certo.' });
    expect(await conversation.said()).to.deep.equal([
      'user: Oi!',
      'user: [áudio 0:02] Que horas abre?',
      'assistant: Certo.',
    ]);
  });

  it('leaves the text before it its answer where no words are heard', async () => {
    const written = write('Oi!');
    const call = await open.nth(0);
    const spoken = attach(recording);
    (await transcription()).answer(' ');
    expect((await spoken).status).to.equal(400);
    call.answer();
    expect(answerOf(await written)).to.include({ text: 'Certo.', supersededBy: undefined });
    expect(await conversation.said()).to.deep.equal(['user: Oi!', 'assistant: Certo.']);
  });

  it('is stored once it is heard, also where its caller is gone before its turn', async () => {
    const written = write('Oi!');
    const call = await open.nth(0);
    const gone = new AbortController();
    const spoken = attach(recording, { signal: gone.signal }).catch(() => undefined);
    const heard = await transcription();
    const turn = { conversation_id: conversation.id, question: 'Oi!' };
    await service.db('turns').where(turn).update({ has_acted: true });
    heard.answer('Que horas abre?');
    await eventually(conversation.states, ['running', 'waiting']);
    gone.abort();
    await spoken;
    await eventually(conversation.states, ['running', 'unanswered']);
    call.answer();
    expect(answerOf(await written)).to.include({ text: 'Certo.' });
    expect((await conversation.said()).toSorted()).to.deep.equal([
      'assistant: Certo.',
      'user: Oi!',
      'user: [áudio 0:02] Que horas abre?',
    ]);
  });

  it('is, as a picture, answered with the text before it, and before the text after it', async () => {
    const before = write('Olha o boleto:');
    const firstCall = await open.nth(0);
    const shown = attach(picture);
    expect(await firstCall.aborted).to.equal(undefined);
    const call = await open.nth(1);
    const after = write('Está certo?');
    await untilTurns(3);
    call.answer();
    (await open.nth(2)).answer();
    expect(answerOf(await before)).to.include({ text: '', supersededBy: (await shown).receipt.turnId });
    expect(answerOf(await after)).to.include({ text: 'Certo.', supersededBy: undefined });
    expect(await conversation.said()).to.deep.equal([
      'user: Olha o boleto:',
      'user: [imagem: boleto.png]',
      'assistant: Certo.',
      'user: Está certo?',
      'assistant: Certo.',
    ]);
  });
});
