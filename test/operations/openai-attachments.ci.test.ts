import { expect } from 'chai';
import OpenAI from 'openai';
import { recordsOf } from '../support/conversation-records.ts';
import { openOnce } from '../support/opened.ts';
import { PNG, readRecording } from '../support/recordings.ts';
import { hear } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

type Parts = OpenAI.ChatCompletionContentPart[];

const SPOKEN = 'Qual é o horário da secretaria?';

describe('what a client of OpenAI sends beside text', () => {
  const service = openOwnService({
    requestTimeoutMs: 60_000,
    transcriptionModel: 'whisper-1',
    visionModels: ['scripted'],
  });
  const { demo, model } = service;
  const quiet = { maxRetries: 0, logLevel: 'off' } as const;
  const client = openOnce(
    () => new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey: demo.token, ...quiet }),
  );
  beforeEach(() => {
    model.reset();
    model.say('Das 8h às 21h.');
    model.onTranscription = hear(SPOKEN);
  });

  const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
  const text = (content: string) => ({ type: 'text' as const, text: content });
  const picture = (url = dataUrl('image/png', PNG)) => ({ type: 'image_url' as const, image_url: { url } });
  const recording = (data = readRecording('tone.mp3').toString('base64')) => ({
    type: 'input_audio' as const,
    input_audio: { data, format: 'mp3' as const },
  });
  const file = (file_data = dataUrl('text/plain', Buffer.from('A taxa é de R$ 137,50.'))) => ({
    type: 'file' as const,
    file: { file_data, filename: 'edital.txt' },
  });
  const ask = async (messages: OpenAI.ChatCompletionMessageParam[], more: object = {}) => {
    const completion = await client.chat.completions.create({ model: 'principal', messages, ...more });
    return (completion as unknown as { parley: { conversationId: string } }).parley.conversationId;
  };
  const askParts = (content: Parts, more: object = {}) => ask([{ role: 'user', content }], more);
  const questionOf = async (conversationId: string) =>
    (await recordsOf(service.db, conversationId)).said[0]?.content;
  const lastRequest = () => model.requests.at(-1)?.messages.at(-1);

  it('is what is attached to the turn, each part as what it is', async () => {
    const shown = await askParts([text('Isto é o boleto?'), picture()]);
    expect(await questionOf(shown)).to.equal('Isto é o boleto?\n[imagem]');
    expect(lastRequest()?.content).to.deep.equal([
      text('Isto é o boleto?'),
      { type: 'image_url', image_url: { url: dataUrl('image/png', PNG) } },
    ]);
    expect(await questionOf(await askParts([recording()]))).to.equal(`[áudio 0:02] ${SPOKEN}`);
    expect(lastRequest()?.content).to.equal(SPOKEN);
    const read = await askParts([text('Qual é a taxa?'), file()]);
    expect(await questionOf(read)).to.equal('Qual é a taxa?\n[arquivo: edital.txt]');
    expect(JSON.stringify(model.requests.at(-1))).to.include('R$ 137,50');
    expect(await service.db('turn_attachments').select('id')).to.deep.equal([]);
  });

  it('is a line of the dialogue where it was sent before', async () => {
    const large = picture(dataUrl('image/png', Buffer.concat([PNG, Buffer.alloc(3_000_000, 7)])));
    await ask([
      { role: 'user', content: [text('O boleto:'), large] },
      { role: 'assistant', content: 'Recebi.' },
      { role: 'user', content: 'Qual é o valor?' },
    ]);
    const sent = JSON.stringify(model.requests.at(-1)?.messages);
    expect(sent).to.include(String.raw`O boleto:\n[imagem]`).and.not.include('image_url');
  });

  it('tells one conversation from another where it comes first', async () => {
    const user = { user: 'ana' };
    const first = await askParts([picture()], user);
    const history = (part: Parts[number]): OpenAI.ChatCompletionMessageParam[] => [
      { role: 'user', content: [part] },
      { role: 'assistant', content: 'Oi!' },
      { role: 'user', content: 'E agora?' },
    ];
    expect(await ask(history(picture()), user)).to.equal(first);
    const other = picture(dataUrl('image/png', Buffer.concat([PNG, PNG])));
    expect(await ask(history(other), user)).to.not.equal(first);
  });

  it('is refused by the name of its part, and nothing is kept', async () => {
    const cases: [unknown, string, RegExp][] = [
      [picture('data:image/png;base64,isto não é'), '', /not base64/],
      [picture('data:image/png,%89PNG'), '.image_url.url', /base64/],
      [picture('ftp://exemplo.example/a.png'), '', /http or https/],
      [picture(`https://exemplo.example/${'a'.repeat(2_000)}`), '.image_url.url', /2000/],
      [picture('http://127.0.0.1:1/a.png'), '', /cannot be fetched/],
      [picture(dataUrl('image/png', Buffer.from('GIF'))), '', /no picture/],
      [recording(''), '', /empty/],
      [recording('****'), '', /not base64/],
      [recording(PNG.toString('base64')), '', /no recording/],
      [file(dataUrl('application/zip', Buffer.from('x'))), '', /wrong-kind/],
      [{ type: 'file', file: { file_id: 'file-1' } }, '.file.file_data', /required/],
      [{ type: 'image_url' }, '.image_url.url', /required/],
      [{ type: 'text' }, '.text', /required/],
    ];
    for (const [part, field, message] of cases) {
      const error = await askParts([text('E?'), part as Parts[number]]).then(
        () => undefined,
        (refused: unknown) => refused as InstanceType<typeof OpenAI.APIError>,
      );
      expect(error, String(message)).to.include({ status: 400, param: `messages[0].content[1]${field}` });
      expect(error?.message).to.match(message);
    }
    const six = await askParts(Array.from({ length: 6 }, () => picture())).catch((error: unknown) => error);
    expect(six).to.include({ status: 400, param: 'messages[0].content' });
    expect(model.requests).to.deep.equal([]);
    expect(await service.db('turn_attachments').select('id')).to.deep.equal([]);
  });

  it('is as large as in the reasoning call, in all messages together', async () => {
    const large = picture(dataUrl('image/png', Buffer.alloc(9_000_000)));
    const error = await askParts([large, large]).catch((refused: unknown) => refused);
    expect(error).to.include({ status: 413 });
  });
});
