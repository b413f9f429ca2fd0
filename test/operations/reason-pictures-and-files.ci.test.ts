import { expect } from 'chai';
import { type Refusal, refusals } from '../../queues/contract/failure.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { makePdfOf } from '../support/pdf.ts';
import { fail, hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('what a person sends beside a question', () => {
  const service = openOwnService({
    requestTimeoutMs: 60_000,
    visionModels: ['scripted'],
    modelFallbacks: { scripted: ['blind'] },
  });
  const { model } = service;
  beforeEach(() => model.reset());

  const picture = (more: object = {}) => ({
    type: 'image',
    content_type: 'image/png',
    name: 'boleto.png',
    content_base64: PNG.toString('base64'),
    ...more,
  });
  const file = (text: string | Buffer, more: object = {}) => ({
    type: 'file',
    content_type: 'text/plain',
    name: 'edital.txt',
    content_base64: Buffer.from(text).toString('base64'),
    ...more,
  });
  const send = async (attachments: readonly object[], question = '', more: object = {}) => {
    const conversationId = await service.newConversation();
    const answered = await service.ask(question, { conversationId, attachments, ...more });
    return { ...answered, conversationId };
  };
  const saidIn = async (conversationId: string) =>
    (await recordsOf(service.db, conversationId)).said.map(({ content }) => content);
  const expectRefused = ({ status, body }: Awaited<ReturnType<typeof send>>, refusal: Refusal) =>
    expect([status, body.message], JSON.stringify(body)).to.deep.equal(refusals[refusal]);
  const setHost = (settings: object) =>
    service.db('hosts').where({ id: service.demo.hostId }).update(settings);

  it('goes to a model that reads pictures, and is a line of the stored message', async () => {
    const { status, conversationId } = await send([picture()], 'Isto é o boleto?');
    expect(status).to.equal(200);
    expect(model.requests.at(-1)?.messages.at(-1)).to.deep.equal({
      role: 'user',
      content: [
        { type: 'text', text: 'Isto é o boleto?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
      ],
    });
    expect((await saidIn(conversationId))[0]).to.equal('Isto é o boleto?\n[imagem: boleto.png]');
    await service.ask('E agora?', { conversationId });
    expect(JSON.stringify(model.requests.at(-1))).to.not.include('image_url');
  });

  it('may be a picture alone', async () => {
    const { status, body, conversationId } = await send([picture({ name: undefined })]);
    expect([status, body.data.question]).to.deep.equal([200, '[imagem]']);
    expect((await saidIn(conversationId))[0]).to.equal('[imagem]');
  });

  it('is no picture by its type alone', async () => {
    const refused = await send([picture({ content_base64: Buffer.from('GIF').toString('base64') })]);
    expectRefused(refused, 'body-invalid');
    expect(refused.body.data.fields[0].message).to.match(/no picture/);
    expect(await saidIn(refused.conversationId)).to.deep.equal([]);
  });

  it('is refused as a picture for another model, and no such model is asked after the first', async () => {
    const changes = { avatar: { model: 'blind' } };
    const refused = await send([picture()], 'E?', { reasoningConfig: { rehearsal: true, changes } });
    expectRefused(refused, 'body-invalid');
    expect(refused.body.data.fields[0]).to.deep.equal({
      path: 'attachments[0]',
      message: 'is a picture, and the model of the assistant reads none',
    });
    model.script((request, response) =>
      (request.model === 'blind' ? say('Às cegas.') : fail(404))(request, response),
    );
    expect((await service.ask('E?')).body.data.assistantResponse.string).to.equal('Às cegas.');
    expectRefused(await send([picture()], 'E?'), 'model-unavailable');
  });

  it('is held while a model looks at it, so that a host has no more of them at once than a worker has room for', async () => {
    const { acme, demo } = service;
    const pictureOf = (size: number) =>
      picture({ content_base64: Buffer.concat([PNG, Buffer.alloc(size)]).toString('base64') });
    const [large, other] = [pictureOf(15 * 1_048_576), pictureOf(1_572_864)];
    const shown = () =>
      model.requests.flatMap(({ messages }) => {
        const content: unknown = messages.at(-1)?.content;
        return Array.isArray(content) ? [(content[0] as { text: string }).text] : [];
      });
    const held = hold();
    model.script(held.script);
    const first = send([large], 'Um?');
    await held.held;
    const second = send([other], 'Dois?');
    await eventually(
      async () =>
        (await service.db('turns').where({ host_id: demo.hostId, state: 'running' }).pluck('id')).length,
      2,
    );
    // That of another host does all the same, and comes later.
    const named = { hostId: acme.hostId, hostSlug: acme.slug };
    const { token } = acme;
    const { body } = await service.demo.call('createConversation', named, { token });
    const { conversationId } = body.data;
    const more = { hostId: acme.hostId, conversationId, attachments: [other] };
    const third = service.ask('Três?', more, { token });
    await eventually(shown, questions => questions.includes('Três?'));
    expect(shown()).to.deep.equal(['Um?', 'Três?']);
    held.release();
    for (const { status } of await Promise.all([first, second, third])) expect(status).to.equal(200);
    expect(shown()).to.deep.equal(['Um?', 'Três?', 'Dois?']);
  });

  it('is named where the model refuses it', async () => {
    model.script(fail(400));
    const refused = await send([picture()], 'E?');
    expectRefused(refused, 'body-invalid');
    expect(refused.body.data.fields[0].message).to.equal('was refused by the model');
  });

  it('is refused as a picture by a host that masks, unless it allows them', async () => {
    await setHost({ mask: true });
    const refused = await send([picture()], 'E?');
    await setHost({ mask_images: 'allow' });
    const allowed = await send([picture()], 'E?');
    await setHost({ mask: false, mask_images: 'refuse' });
    expectRefused(refused, 'body-invalid');
    expect(allowed.status).to.equal(200);
  });

  it('is as a file a passage of this turn, and a source text for the figures of the answer', async () => {
    model.say('A taxa é de R$ 137,50.');
    const { body, conversationId } = await send(
      [file('A taxa de inscrição é de R$ 137,50.')],
      'Qual é a taxa?',
    );
    expect(body.data.unsupported).to.deep.equal([]);
    expect(body.data.sources).to.deep.equal([]);
    const prompt = JSON.stringify(model.requests.at(-1)?.messages);
    expect(prompt).to.include('[arquivo: edital.txt] enviado pela pessoa');
    expect(prompt).to.include('R$ 137,50');
    expect((await saidIn(conversationId))[0]).to.equal('Qual é a taxa?\n[arquivo: edital.txt]');
    const later = await service.ask('E a taxa?', { conversationId });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).to.not.include('enviado pela pessoa');
    expect([later.status, await service.db('turn_attachments').select('id')]).to.deep.equal([200, []]);
  });

  it('may be a PDF whatever its type says, of which 20,000 characters are read', async () => {
    const pdf = await makePdfOf('Edital', [{ heading: 'Taxa', paragraphs: ['A taxa é de 137 reais.'] }]);
    expect((await send([file(pdf)], 'Qual é?')).status).to.equal(200);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).to.include('137 reais');
    await send([file('palavra '.repeat(10_000))], 'Qual é?');
    const prompt =
      model.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join('') ?? '';
    expect(prompt.split('palavra')).to.have.length.within(2_000, 2_600);
  });

  it('is refused by name as a file that cannot be read', async () => {
    const cases = [
      [file('%PDF-1.7 nada'), /cannot be read: /],
      [file('x', { content_type: 'application/zip' }), /wrong-kind/],
      [file('   '), /no-text/],
    ] as const;
    for (const [attachment, message] of cases) {
      const refused = await send([attachment], 'E?');
      expectRefused(refused, 'body-invalid');
      expect(refused.body.data.fields[0].path).to.equal('attachments[0]');
      expect(refused.body.data.fields[0].message).to.match(message);
      expect(await saidIn(refused.conversationId)).to.deep.equal([]);
    }
  });

  it('is no recording where none is transcribed', async () => {
    const refused = await send([file('x', { type: 'audio' })]);
    expectRefused(refused, 'body-invalid');
    expect(refused.body.data.fields[0].message).to.match(/no model that transcribes/);
  });

  it('is not fetched from a private address', async () => {
    const { content_base64: _, ...named } = file('x');
    const refused = await send([{ ...named, url: 'http://127.0.0.1:8080/edital.txt' }], 'E?');
    expectRefused(refused, 'body-invalid');
    expect(refused.body.data.fields[0].message).to.equal('cannot be fetched: address-refused');
  });
});
