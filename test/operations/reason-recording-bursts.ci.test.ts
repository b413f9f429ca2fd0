import { expect } from 'chai';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { leaveCallsOpen } from '../support/open-calls.ts';
import { readRecording } from '../support/recordings.ts';
import { hear } from '../support/scripted-model.ts';
import { type ApiResponse, type CallOptions, openOwnService } from '../support/service.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const recording = {
  type: 'audio',
  content_type: 'audio/ogg',
  content_base64: readRecording('tone.ogg').toString('base64'),
};
const picture = {
  type: 'image',
  content_type: 'image/png',
  name: 'boleto.png',
  content_base64: PNG.toString('base64'),
};

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
  let conversationId: string;
  let open: ReturnType<typeof leaveCallsOpen>;
  let transcriptions: OpenTranscription[];
  beforeEach(async () => {
    conversationId = await service.newConversation();
    model.reset();
    open = leaveCallsOpen(model);
    transcriptions = [];
    model.onTranscription = (request, response) =>
      void transcriptions.push({ answer: words => void hear(words)(request, response) });
  });

  const send = (burst: string, more: object, options: CallOptions = {}) =>
    service.demo.call(
      'reason',
      { conversationId, reasoningConfig: { burst, svcCompleteLog: true }, ...more },
      options,
    );
  const nthTranscription = async (at: number): Promise<OpenTranscription> => {
    await eventually(
      () => transcriptions.length,
      made => made > at,
    );
    return transcriptions[at] as OpenTranscription;
  };
  const untilTurns = (count: number) =>
    eventually(
      () => recordsOf(service.db, conversationId),
      ({ turns }) => turns.length === count,
    );
  const turnIdOf = ({ body }: ApiResponse): string => body.data.svcCompleteLog[0].turnId;
  const answerOf = ({ status, body }: ApiResponse) => ({
    status,
    question: body.data.question as string,
    string: body.data.assistantResponse.string as string,
    supersededBy: body.data.supersededBy as string | undefined,
  });
  const messages = () => listMessageTexts(service.db, conversationId);

  it('is answered with the text after it, which waits for its words', async () => {
    const spoken = send('last', { attachments: [recording] });
    const heard = await nthTranscription(0);
    const written = send('last', { question: 'E aos sábados?' });
    await untilTurns(2);
    expect(open.calls).to.have.length(0);
    heard.answer('Que horas abre?');
    const call = await open.nth(0);
    expect(call.said).to.deep.equal(['[áudio 0:02] Que horas abre?', 'E aos sábados?']);
    call.answer();
    const [first, second] = [await spoken, await written];
    const ended = { status: 200, question: 'Que horas abre?', string: '', supersededBy: turnIdOf(second) };
    expect(answerOf(first)).to.deep.equal(ended);
    expect(answerOf(second)).to.include({ string: 'Certo.', supersededBy: undefined });
    expect(await messages()).to.deep.equal([
      'user: [áudio 0:02] Que horas abre?',
      'user: E aos sábados?',
      'assistant: Certo.',
    ]);
    expect(await service.db('turn_attachments').where({ conversation_id: conversationId })).to.deep.equal([]);
  });

  it('answers the text before it, too, once it is heard', async () => {
    const written = send('last', { question: 'Oi!' });
    const firstCall = await open.nth(0);
    const spoken = send('last', { attachments: [recording] });
    (await nthTranscription(0)).answer('Que horas abre?');
    expect(await firstCall.aborted).to.equal(undefined);
    const call = await open.nth(1);
    expect(call.said).to.deep.equal(['Oi!', 'Que horas abre?']);
    call.answer();
    const [first, second] = [await written, await spoken];
    expect(answerOf(first)).to.include({ string: '', supersededBy: turnIdOf(second) });
    expect(answerOf(second)).to.include({ question: 'Que horas abre?', string: 'Certo.' });
    expect(await messages()).to.deep.equal([
      'user: Oi!',
      'user: [áudio 0:02] Que horas abre?',
      'assistant: Certo.',
    ]);
  });

  it('leaves the text before it its answer where no words are heard', async () => {
    const written = send('last', { question: 'Oi!' });
    const call = await open.nth(0);
    const spoken = send('last', { attachments: [recording] });
    (await nthTranscription(0)).answer(' ');
    expect((await spoken).status).to.equal(400);
    call.answer();
    expect(answerOf(await written)).to.include({ string: 'Certo.', supersededBy: undefined });
    expect(await messages()).to.deep.equal(['user: Oi!', 'assistant: Certo.']);
  });

  it('is stored once it is heard, also where its caller is gone before its turn', async () => {
    const written = send('last', { question: 'Oi!' });
    const call = await open.nth(0);
    const gone = new AbortController();
    const spoken = send('last', { attachments: [recording] }, { signal: gone.signal }).catch(() => undefined);
    const heard = await nthTranscription(0);
    await service
      .db('turns')
      .where({ conversation_id: conversationId, question: 'Oi!' })
      .update({ has_acted: true });
    heard.answer('Que horas abre?');
    const statesAre = (...states: string[]) =>
      eventually(
        () => recordsOf(service.db, conversationId),
        ({ turns }) => turns.map(({ state }) => state).join() === states.join(),
      );
    await statesAre('running', 'waiting');
    gone.abort();
    await spoken;
    await statesAre('running', 'unanswered');
    call.answer();
    expect(answerOf(await written)).to.include({ string: 'Certo.' });
    expect((await messages()).toSorted()).to.deep.equal([
      'assistant: Certo.',
      'user: Oi!',
      'user: [áudio 0:02] Que horas abre?',
    ]);
  });

  it('is, as a picture, answered with the text before it, and before the text after it', async () => {
    const before = send('last', { question: 'Olha o boleto:' });
    const firstCall = await open.nth(0);
    const shown = send('last', { attachments: [picture] });
    expect(await firstCall.aborted).to.equal(undefined);
    const call = await open.nth(1);
    const after = send('last', { question: 'Está certo?' });
    await untilTurns(3);
    call.answer();
    (await open.nth(2)).answer();
    expect(answerOf(await before)).to.include({ string: '', supersededBy: turnIdOf(await shown) });
    expect(answerOf(await after)).to.include({ string: 'Certo.', supersededBy: undefined });
    expect(await messages()).to.deep.equal([
      'user: Olha o boleto:',
      'user: [imagem: boleto.png]',
      'assistant: Certo.',
      'user: Está certo?',
      'assistant: Certo.',
    ]);
  });
});
