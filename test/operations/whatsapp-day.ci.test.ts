import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { tellClosingWindows } from '../../db/conversations/windows.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { openBridge } from '../support/bridge.ts';
import { eventually } from '../support/eventually.ts';
import { blockOf } from '../support/guide.ts';
import { openOnce } from '../support/opened.ts';
import type { ApiResponse, Fields } from '../support/operation-calls.ts';
import { PNG } from '../support/recordings.ts';
import { say } from '../support/scripted-model.ts';

type Json = ApiResponse['body'];

const HOUR_MS = 3_600_000;
const CLOSING = 'Ainda posso ajudar?';
const PHONE = '5511987654321';
const BRUNO = '5511912345678';
const campi = ['Barra Funda', 'Santo Amaro', 'Campus de São Bernardo do Campo'];

/** A day of two people and their staff, over a provider that gives each message an id, as both do. */
describe('a day of the WhatsApp bridge', () => {
  const bridge = openBridge();
  const { service, provider, fromEvolution, fromCloud, ofAccount, send, sendAsMeta, messagesBy } = bridge;
  const { demo, db, model } = service;
  let given = 0;
  const lastId = () => `sent-${given}`;
  openOnce(async () => {
    await setHost(db, demo.slug, { window_hours: { whatsapp: 24 }, keepAttachments: 7 });
    return {};
  });
  beforeEach(() => {
    model.script(say(({ messages }) => `Eco: ${messages.at(-1)?.content}`));
    provider.script(({ path }, response) => {
      given += 1;
      if (path.startsWith('/chat/getBase64'))
        response.end(JSON.stringify({ base64: PNG.toString('base64') }));
      else response.end(JSON.stringify({ key: { id: lastId() }, messages: [{ id: lastId() }] }));
    });
  });

  const fromAna = (id: string, message: string | object, key: object = {}) =>
    send('/evolution/hook', fromEvolution(id, message, key));
  const onPhone = (id: string, message: string | object, key: object = {}) =>
    fromAna(id, message, { fromMe: true, ...key });
  const fromBruno = (id: string, message: object) => sendAsMeta(fromCloud(id, message));
  const conversationOf = async (person: string) => {
    const { [person]: known } = JSON.parse(await bridge.folder.read('people.json'));
    return known.conversationId as string;
  };
  const messagesOf = async (person: string, more: Fields = {}): Promise<Json[]> => {
    const conversationId = await conversationOf(person);
    return (await demo.call('listMessages', { conversationId, limit: 100, ...more })).body.data.items;
  };
  const stateOf = async (person: string): Promise<Fields> => {
    const { items } = (await demo.call('listConversations', { limit: 100 })).body.data;
    const conversationId = await conversationOf(person);
    return items.find(({ id }: Fields) => id === conversationId);
  };
  const release = async (person: string) =>
    demo.call('updateConversation', {
      conversationId: await conversationOf(person),
      ask_human_help: false,
    });

  it('has a program of at most 400 lines', () => {
    expect(blockOf('docs/guides/whatsapp-bridge.md', 'js').split('\n').length - 1).to.be.at.most(400);
  });

  it('is silent once staff type on the phone, and knows its own messages when they come back', async () => {
    await fromAna('a1', 'Que horas abre?');
    await messagesBy(1);
    const answered = lastId();
    await onPhone(answered, 'Eco: Que horas abre?');
    await onPhone('p1', 'Aqui é a Bia, da secretaria.');
    const said = await eventually(
      () => messagesOf(PHONE),
      items => items.some(({ author }) => author === 'human'),
    );
    expect(said.map(({ author, fromChannel, content }) => [author, fromChannel, content])).to.deep.equal([
      ['user', false, 'Que horas abre?'],
      ['assistant', false, 'Eco: Que horas abre?'],
      ['human', true, 'Aqui é a Bia, da secretaria.'],
    ]);
    expect(await stateOf(PHONE)).to.include({ ask_human_help: true, assigned_to: 'Celular' });
    await fromAna('a2', 'Obrigada!');
    await eventually(
      () => messagesOf(PHONE),
      items => items.at(-1)?.['content'] === 'Obrigada!',
    );
    await release(PHONE);
    await fromAna('a3', 'E amanhã?');
    const sent = await messagesBy(2);
    expect(sent.map(({ body }) => (body as Json)['text'])).to.deep.equal([
      'Eco: Que horas abre?',
      'Eco: E amanhã?',
    ]);
  });

  it('takes no picture of its own for one of staff, although it comes back before the provider has answered', async () => {
    model.say('![Mapa](https://example.com/mapa.png)');
    provider.script(({ path }, response) => {
      if (path.startsWith('/chat')) response.writeHead(404).end();
      else
        void onPhone('own-1', { imageMessage: { mimetype: 'image/png' } }).then(() =>
          response.end(JSON.stringify({ key: { id: 'own-1' } })),
        );
    });
    await fromAna('a4', 'Onde fica?');
    await messagesBy(1);
    await onPhone('p2', { imageMessage: { mimetype: 'image/png' } });
    const said = await eventually(
      () => messagesOf(PHONE),
      items => items.at(-1)?.['author'] === 'human',
    );
    expect(said.slice(-2).map(({ author, content }) => [author, content])).to.deep.equal([
      ['assistant', '![Mapa](https://example.com/mapa.png)'],
      ['human', '[image]'],
    ]);
    await release(PHONE);
  });

  it('finds whom staff write to by the person of the chat, never by their own names, with either provider', async () => {
    const own = { senderPn: '551130000000@s.whatsapp.net', participant: '77@lid' };
    await onPhone('p3', 'Oi, Rui!', { remoteJid: '1038@lid', ...own });
    const base64 = PNG.toString('base64');
    const picture = { imageMessage: { mimetype: 'image/png', caption: 'O mapa' }, base64 };
    await onPhone('p4', picture, { remoteJid: '1038@lid', remoteJidAlt: '5511955550009@s.whatsapp.net' });
    await eventually(
      async () => (await bridge.folder.read('people.json')).includes('5511955550009'),
      Boolean,
    );
    const said = await eventually(
      () => messagesOf('1038@lid'),
      items => items.length === 2,
    );
    expect(said.map(({ author, attachments }) => [author, attachments.length])).to.deep.equal([
      ['human', 0],
      ['human', 1],
    ]);
    expect(await stateOf('5511955550009')).to.include({ wpp_id: '5511955550009', external_id: '1038@lid' });
    expect(await bridge.folder.read('people.json')).not.to.match(/551130000000|77@lid/);
    await fromBruno('b1', { type: 'text', text: { body: 'Oi' } });
    await messagesBy(1);
    const typed = { from: '551130000000', to: BRUNO, id: 'e1', type: 'text', text: { body: 'Do celular.' } };
    await sendAsMeta(ofAccount({ message_echoes: [{ ...typed, id: lastId(), text: { body: 'Eco: Oi' } }] }));
    await sendAsMeta(ofAccount({ message_echoes: [typed] }));
    const others = await eventually(
      () => messagesOf(BRUNO),
      items => items.length === 3,
    );
    expect(others.at(-1)).to.include({ author: 'human', content: 'Do celular.' });
    await release(BRUNO);
  });

  it('gives files of people to the assistant, and tells who sent one that it cannot read', async () => {
    const base64 = Buffer.from('A matrícula vai até 10/03.').toString('base64');
    const documentMessage = { mimetype: 'text/plain', fileName: 'edital.txt', caption: 'Até quando?' };
    await fromAna('f1', { documentWithCaptionMessage: { message: { documentMessage } }, base64 });
    await messagesBy(1);
    expect(JSON.stringify(model.requests)).to.include('A matrícula vai até 10/03.');
    await fromAna('f2', { imageMessage: { mimetype: 'image/png', caption: 'O que diz?' } });
    const sent = await messagesBy(3);
    const texts = sent.map(({ body }) => (body as Json)['text'] as string);
    expect(texts.slice(1)).to.deep.equal([
      'Por enquanto só leio textos, áudios, imagens e arquivos. Pode escrever?',
      'Eco: O que diz?',
    ]);
  });

  it('sends the files of staff by their addresses, each as what the channel shows', async () => {
    const files = [PNG, Buffer.from('%PDF-1.7 boleto')].map((bytes, at) => ({
      name: ['mapa.png', 'boleto.pdf'][at],
      content_base64: bytes.toString('base64'),
    }));
    const write = async (person: string) => {
      const conversationId = await conversationOf(person);
      await demo.call('appendMessage', {
        conversationId,
        author: 'human',
        content: 'Segue.',
        attachments: files,
      });
    };
    await write(PHONE);
    const ofAna = (await messagesBy(3)).map(({ path, body }) => [path, body as Json] as const);
    expect(ofAna.map(([path]) => path.split('/')[2])).to.deep.equal(['sendText', 'sendMedia', 'sendMedia']);
    expect(ofAna[1]?.[1]).to.include({ mediatype: 'image', mimetype: 'image/png', fileName: 'mapa.png' });
    expect(ofAna[2]?.[1]).to.include({ mediatype: 'document', fileName: 'boleto.pdf' });
    const got = await fetch(ofAna[2]?.[1]['media']);
    expect(await got.text()).to.equal('%PDF-1.7 boleto');
    await write(BRUNO);
    const [text, image, document] = (await messagesBy(6)).slice(3).map(({ body }) => body as Json);
    expect([text?.['type'], image?.['type'], document?.['type']]).to.deep.equal([
      'text',
      'image',
      'document',
    ]);
    expect(document?.['document']).to.include({ filename: 'boleto.pdf' });
  });

  it('sends what an event has left once more, and nothing twice', async () => {
    const [first, second] = [
      { type: 'text', content: 'Um.' },
      { type: 'text', content: 'Dois.' },
    ];
    const data = { conversationId: await conversationOf(PHONE), content: 'x', wppParsed: [first, second] };
    const body = JSON.stringify({ type: 'message.sent', data });
    const tell = async () => {
      const at = new Date();
      const signature = new Webhook(bridge.webhook.secret).sign('event-1', at, body);
      const headers = {
        'webhook-id': 'event-1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      };
      const told = { method: 'POST', body, headers: { ...headers, 'webhook-signature': signature } };
      return (await fetch(`${bridge.url}/parley`, told)).status;
    };
    provider.script(({ body: got }, response) => {
      response.writeHead((got as Json)['text'] === 'Um.' ? 500 : 200).end();
    });
    expect(await tell()).to.equal(502);
    provider.script(({ path }, response) => void response.writeHead(path ? 204 : 500).end());
    expect([await tell(), await tell()]).to.deep.equal([204, 204]);
    const texts = provider.received.map(({ body: got }) => (got as Json)['text']);
    expect(texts).to.deep.equal(['Um.', 'Dois.', 'Um.']);
  });

  it('asks before the window closes, and sends a template after it', async () => {
    const conversationId = await conversationOf(BRUNO);
    const pass = (hours: number) =>
      db('conversations')
        .where({ id: conversationId })
        .update({ person_wrote_at: new Date(Date.now() - hours * HOUR_MS), window_told_for: null });
    await pass(23);
    await tellClosingWindows(db);
    expect((await messagesBy(1))[0]?.body).to.deep.include({ to: BRUNO, text: { body: CLOSING } });
    await eventually(
      () => messagesOf(BRUNO, { notes: true }),
      items => items.at(-1)?.['author'] === 'note' && items.at(-1)?.['content'].includes(CLOSING),
    );
    await pass(25);
    const write = (more: Fields = {}) =>
      demo.call('appendMessage', { conversationId, author: 'human', content: 'Olá, Bruno!', ...more });
    expect((await write()).body.data.reason).to.equal('window-closed');
    const template = { name: 'retomada', language: 'pt_BR', values: ['Bruno'] };
    await write({ template });
    const parameters = [{ type: 'text', text: 'Bruno' }];
    expect((await messagesBy(2)).at(-1)?.body).to.deep.include({
      type: 'template',
      template: { name: 'retomada', language: { code: 'pt_BR' }, components: [{ type: 'body', parameters }] },
    });
    const failed = {
      id: lastId(),
      status: 'failed',
      recipient_id: BRUNO,
      errors: [{ title: 'Re-engagement' }],
    };
    await sendAsMeta(ofAccount({ statuses: [failed] }));
    await eventually(
      () => messagesOf(BRUNO, { notes: true }),
      items => items.at(-1)?.['content'].includes('Re-engagement'),
    );
    provider.script(({ path }, response) => {
      response.writeHead(path.includes('sendTemplate') ? 400 : 200).end();
    });
    const ana = await conversationOf(PHONE);
    await demo.call('appendMessage', {
      conversationId: ana,
      author: 'human',
      content: 'Olá, Ana!',
      template,
    });
    const [, plain] = (await messagesBy(4)).slice(2);
    expect(plain?.body).to.deep.equal({ number: PHONE, text: 'Olá, Ana!' });
  });

  it('shows choices as buttons or a list, or else with their numbers, and knows what was tapped', async () => {
    await release(PHONE);
    await release(BRUNO);
    const choices = campi.map((title, at) => ({ id: `c${at}`, title }));
    const answers = [
      { id: 'sim', title: 'Sim' },
      { id: 'nao', title: 'Não' },
    ];
    const step = { description: '', type: 'ask', kind: 'choice' };
    const chainJson = [
      { ...step, name: 'campus', content: 'Qual campus?', choices },
      { ...step, name: 'noite', content: 'À noite?', choices: answers },
      { type: 'message', content: 'Anotado: {{campus}}, {{noite}}.', description: '' },
      { type: 'end', content: 'A pessoa se despede.', description: '' },
    ];
    await demo.make('saveFlow', { avatarId: demo.avatarId, decisionName: 'Campus', chainJson });
    model.say('Certo.');
    await fromAna('w1', 'Oi');
    const [list] = (await messagesBy(1)).map(({ path, body }) => ({ path, ...(body as Json) }));
    expect(list?.path).to.include('/message/sendList/');
    expect(list?.['description']).to.include('3. Campus de São Bernardo do Campo');
    const rows = list?.['sections'][0].rows as Json[];
    expect(rows.at(-1)).to.deep.equal({
      title: 'Campus de São Bernardo d',
      description: 'o Campo',
      rowId: 'c2',
    });
    await fromAna('w2', { listResponseMessage: { title: 'x', singleSelectReply: { selectedRowId: 'c2' } } });
    const [, buttons] = (await messagesBy(2)).map(({ path, body }) => ({ path, ...(body as Json) }));
    expect(buttons?.path).to.include('/message/sendButtons/');
    expect(buttons?.['buttons'][1]).to.deep.equal({ type: 'reply', displayText: 'Não', id: 'nao' });
    await fromBruno('w3', { type: 'text', text: { body: 'Oi' } });
    const [, , interactive] = (await messagesBy(3)).map(({ body }) => (body as Json)['interactive']);
    expect(interactive?.['type']).to.equal('list');
    expect(interactive?.['action'].sections[0].rows[0]).to.deep.equal({ id: 'c0', title: 'Barra Funda' });
    provider.script(({ body }, response) => {
      response.writeHead((body as Json)['type'] === 'interactive' ? 400 : 200).end();
    });
    const reply = { type: 'list_reply', list_reply: { id: 'c1', title: 'x' } };
    await fromBruno('w4', { type: 'interactive', interactive: reply });
    const [refused, plain] = (await messagesBy(5)).slice(3).map(({ body }) => body as Json);
    expect(refused?.['interactive'].type).to.equal('button');
    expect(plain?.['text'].body).to.match(/À noite\?[^]*2\. Não/);
  });

  it('begins anew with a person who was erased', async () => {
    const erased = await conversationOf('1038@lid');
    await db('conversations').where({ id: erased }).delete();
    await fromAna('x1', 'Oi de novo', { remoteJid: '1038@lid' });
    const [sent] = await messagesBy(1);
    expect(sent?.body).to.include({ number: '5511955550009' });
    expect(await conversationOf('1038@lid')).not.to.equal(erased);
    expect(await conversationOf('5511955550009')).to.equal(await conversationOf('1038@lid'));
    expect(await bridge.folder.read('people.json')).not.to.include(erased);
  });
});
