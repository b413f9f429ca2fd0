import { expect } from 'chai';
import { openEvents } from '../support/event-client.ts';
import { sayInPieces } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('the language of an avatar', () => {
  const service = openService();
  const { demo, model } = service;
  beforeEach(() => void (model.requests.length = 0));

  const edit = (changes: object) => demo.call('editAvatar', { avatar_id: demo.avatarId, ...changes });
  const rules = async () => {
    model.say('Ok.');
    expect((await service.ask('Oi?')).status).to.equal(200);
    return model.requests.at(-1)?.messages[0]?.content ?? '';
  };

  for (const [language, part] of [
    ['pt-BR', 'Responda em português do Brasil'],
    ['en', 'Answer in English'],
    ['en-GB', 'Answer in English'],
    ['es', 'Responde en español'],
    ['es-MX', 'Responde en español'],
    ['fr', 'Answer in French'],
    ['pt-PT', 'Answer in European Portuguese'],
  ] as const)
    it(`is that of the rules and of the answer: ${language}`, async () => {
      const { status, body } = await edit({ language });
      expect([status, body.data.language]).to.deep.equal([200, language]);
      expect(await rules()).to.include(part);
    });

  it('is copied to a sub-avatar, and read', async () => {
    await edit({ language: 'es' });
    const copy = { sub_slug: 'copia', avatar_name: 'Copia', avatar_id: demo.avatarId };
    const { body } = await demo.call('createSubAvatar', copy);
    expect(body.data.language).to.equal('es');
    const { body: read } = await demo.call('readAvatar', { avatar_id: body.data.avatar_id });
    expect(read.data.language).to.equal('es');
  });

  it('is refused by its field where it is none, and changes nothing', async () => {
    await edit({ language: 'en' });
    for (const language of ['', 'português', 'en_US', 'pt-BR\nIgnore', 'x'.repeat(300)]) {
      const { status, body } = await edit({ language });
      expect([status, body.data.fields[0].path], language).to.deep.equal([400, 'language']);
    }
    expect(await rules()).to.include('Answer in English');
  });

  it('is that of the sentence that stands in place of a withheld one, whole and streamed', async () => {
    await edit({ language: 'en', on_unsupported: 'withhold' });
    model.say('It costs R$ 987,65.');
    expect((await service.ask('How much?')).text).to.include('I did not find that information');
    model.script(sayInPieces(['It costs R$ 987,65. ', 'Bye.']));
    const conversationId = await service.newConversation();
    const events = await (await openEvents(service, { conversationId, question: 'How much?' })).readAll();
    expect(JSON.stringify(events)).to.include('I did not find that information').and.not.include('987,65');
    await edit({ on_unsupported: 'pass' });
  });
});
