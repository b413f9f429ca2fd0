import { expect } from 'chai';
import { refusals } from '../../queues/contract/failure.ts';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import type { Fields } from '../support/operation-calls.ts';
import { makePdfOf } from '../support/pdf.ts';
import { PNG } from '../support/recordings.ts';
import { fail, hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

describe('what a person sends beside a question', () => {
  const service = openOwnService({
    requestTimeoutMs: 60_000,
    visionModels: ['scripted'],
    modelFallbacks: { scripted: ['blind'] },
  });
  const { acme, demo, model } = service;
  const conversation = openConversation(service);
  beforeEach(() => model.reset());

  const boleto = { type: 'image', content_type: 'image/png', name: 'boleto.png' };
  const picture = (bytes = PNG) => ({ ...boleto, content_base64: bytes.toString('base64') });
  const edital = { type: 'file', content_type: 'text/plain', name: 'edital.txt' };
  const file = (text: string | Buffer, more: object = {}) => ({
    ...edital,
    content_base64: Buffer.from(text).toString('base64'),
    ...more,
  });
  const send = (attachment: object, question = '', more: Fields = {}) =>
    conversation.ask(question, { attachments: [attachment], ...more });
  const lastPrompt = () => JSON.stringify(model.requests.at(-1)?.messages);
  const setHost = (settings: object) => service.db('hosts').where({ id: demo.hostId }).update(settings);

  it('goes to a model that reads pictures, and is a line of the stored message', async () => {
    expect((await send(picture(), 'Isto é o boleto?')).status).to.equal(200);
    expect(model.requests.at(-1)?.messages.at(-1)).to.deep.equal({
      role: 'user',
      content: [
        { type: 'text', text: 'Isto é o boleto?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
      ],
    });
    expect((await conversation.said())[0]).to.equal('user: Isto é o boleto?\n[imagem: boleto.png]');
    await conversation.ask('E agora?');
    expect(lastPrompt()).to.not.include('image_url');
  });

  it('may be a picture alone', async () => {
    const { status, data } = await send({ ...picture(), name: undefined });
    expect([status, data.question]).to.deep.equal([200, '[imagem]']);
    expect((await conversation.said())[0]).to.equal('user: [imagem]');
  });

  it('is no picture by its type alone', async () => {
    expectWrong(await send(picture(Buffer.from('GIF'))), 'attachments[0]', 'no picture');
    expect(await conversation.said()).to.deep.equal([]);
  });

  it('is refused as a picture for another model, and no such model is asked after the first', async () => {
    const changes = { avatar: { model: 'blind' } };
    const refused = await send(picture(), 'E?', { reasoningConfig: { rehearsal: true, changes } });
    const none = 'is a picture, and the model of the assistant reads none';
    expectWrong(refused, 'attachments[0]', new RegExp(`^${none}$`));
    model.script((request, response) =>
      (request.model === 'blind' ? say('Às cegas.') : fail(404))(request, response),
    );
    expect((await service.ask('E?')).text).to.equal('Às cegas.');
    const { status, body } = await send(picture(), 'E?');
    expect([status, body.message], JSON.stringify(body)).to.deep.equal(refusals['model-unavailable']);
  });

  it('is held while a model looks at it, so that a host has no more of them at once than a worker has room for', async () => {
    const pictureOf = (size: number) => picture(Buffer.concat([PNG, Buffer.alloc(size)]));
    const [large, other] = [pictureOf(15 * 1_048_576), pictureOf(1_572_864)];
    const shown = () =>
      model.requests.flatMap(({ messages }) => {
        const content: unknown = messages.at(-1)?.content;
        return Array.isArray(content) ? [(content[0] as { text: string }).text] : [];
      });
    const held = hold();
    model.script(held.script);
    const first = service.ask('Um?', { attachments: [large] });
    await held.held;
    const second = service.ask('Dois?', { attachments: [other] });
    const running = () => service.db('turns').where({ host_id: demo.hostId, state: 'running' });
    await eventually(async () => (await running()).length, 2);
    // That of another host does all the same, and comes later.
    const third = acme.ask('Três?', { attachments: [other] });
    await eventually(shown, questions => questions.includes('Três?'));
    expect(shown()).to.deep.equal(['Um?', 'Três?']);
    held.release();
    for (const { status } of await Promise.all([first, second, third])) expect(status).to.equal(200);
    expect(shown()).to.deep.equal(['Um?', 'Três?', 'Dois?']);
  });

  it('is named where the model refuses it', async () => {
    model.script(fail(400));
    expectWrong(await send(picture(), 'E?'), 'attachments[0]', /^was refused by the model$/);
  });

  it('is refused as a picture by a host that masks, unless it allows them', async () => {
    await setHost({ mask: true });
    const refused = await send(picture(), 'E?');
    await setHost({ mask_images: 'allow' });
    const allowed = await send(picture(), 'E?');
    await setHost({ mask: false, mask_images: 'refuse' });
    expectWrong(refused, 'attachments[0]');
    expect(allowed.status).to.equal(200);
  });

  it('is as a file a passage of this turn, and a source text for the figures of the answer', async () => {
    model.say('A taxa é de R$ 137,50.');
    const { data } = await send(file('A taxa de inscrição é de R$ 137,50.'), 'Qual é a taxa?');
    expect(data).to.deep.include({ unsupported: [], sources: [] });
    expect(lastPrompt()).to.include('[arquivo: edital.txt] enviado pela pessoa').and.include('R$ 137,50');
    expect((await conversation.said())[0]).to.equal('user: Qual é a taxa?\n[arquivo: edital.txt]');
    const later = await conversation.ask('E a taxa?');
    expect(lastPrompt()).to.not.include('enviado pela pessoa');
    expect([later.status, await service.db('turn_attachments').select('id')]).to.deep.equal([200, []]);
  });

  it('may be a PDF whatever its type says, of which 20,000 characters are read', async () => {
    const pdf = await makePdfOf('Edital', [{ heading: 'Taxa', paragraphs: ['A taxa é de 137 reais.'] }]);
    expect((await send(file(pdf), 'Qual é?')).status).to.equal(200);
    expect(lastPrompt()).to.include('137 reais');
    await send(file('palavra '.repeat(10_000)), 'Qual é?');
    expect(lastPrompt().split('palavra')).to.have.length.within(2_000, 2_600);
  });

  it('is refused by name as a file that cannot be read', async () => {
    const cases = [
      [file('%PDF-1.7 nada'), /cannot be read: /],
      [file('x', { content_type: 'application/zip' }), /wrong-kind/],
      [file('   '), /no-text/],
    ] as const;
    for (const [attachment, message] of cases) {
      expectWrong(await send(attachment, 'E?'), 'attachments[0]', message);
      expect(await conversation.said()).to.deep.equal([]);
    }
  });

  it('is no recording where none is transcribed', async () => {
    const refused = await send(file('x', { type: 'audio' }));
    expectWrong(refused, 'attachments[0]', 'no model that transcribes');
  });

  it('is not fetched from a private address', async () => {
    const { content_base64: _, ...named } = file('x');
    const refused = await send({ ...named, url: 'http://127.0.0.1:8080/edital.txt' }, 'E?');
    expectWrong(refused, 'attachments[0]', /^cannot be fetched: address-refused$/);
  });
});
