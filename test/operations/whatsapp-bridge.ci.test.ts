import { expect } from 'chai';
import { openBridge } from '../support/bridge.ts';
import { eventually } from '../support/eventually.ts';
import { readRecording } from '../support/recordings.ts';
import { hear, say } from '../support/scripted-model.ts';

// biome-ignore format: a table
const evolutionSays: readonly (readonly [object, string])[] = [
  [{ ephemeralMessage: { message: { extendedTextMessage: { text: 'a' } } } }, 'a'],
  [{ editedMessage: { message: { protocolMessage: { editedMessage: { conversation: 'b' } } } } }, 'b'],
  [{ buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'c' } }, 'c'],
  [{ templateButtonReplyMessage: { selectedId: '1', selectedDisplayText: 'd' } }, 'd'],
  [{ listResponseMessage: { title: 'e', singleSelectReply: { selectedRowId: '1' } } }, 'e'],
  [{ viewOnceMessageV2: { message: { interactiveResponseMessage: { body: { text: 'f' },
            nativeFlowResponseMessage: { name: 'quick_reply', paramsJson: '{"id":"1"}' } } } } }, 'f'],
  [{ interactiveResponseMessage: { body: { text: 'Sent' },
        nativeFlowResponseMessage: { name: 'flow', paramsJson: '{"flow_token":"x","curso":"Direito"}' } } },
    'curso: Direito'],
];
// biome-ignore format: a table
const cloudSays: readonly (readonly [object, string])[] = [
  [{ type: 'button', button: { text: 'g', payload: '1' } }, 'g'],
  [{ type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'h' } } }, 'h'],
  [{ type: 'interactive',
      interactive: { type: 'nfm_reply',
        nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"turno":["noite"]}' } } },
    'turno: ["noite"]'],
  [{ type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { body: 'Sent', response_json: '{' } } }, 'Sent'],
];

describe('the WhatsApp bridge of the guide', () => {
  const bridge = openBridge();
  const { service, provider, folder, webhook, said } = bridge;
  const { fromEvolution, fromCloud, send, sendAsMeta, sentBy, messagesBy } = bridge;
  beforeEach(() => {
    service.model.say('Das 8h às 21h.\n\n![Mapa](https://example.com/mapa.png)');
    service.model.onTranscription = hear('Qual é o horário da secretaria?');
  });

  const UNREAD = 'Por enquanto só leio textos, áudios, imagens e arquivos. Pode escrever?';
  const UNHEARD = 'Não consegui ouvir o áudio: pode escrever?';

  it('answers what Evolution API delivers, in one conversation for each person', async () => {
    expect(await send('/evolution/wrong', fromEvolution('m0', 'Oi'))).to.equal(403);
    expect(await send('/evolution/hook', fromEvolution('m1', 'Qual é o horário?'))).to.equal(200);
    const number = '5511987654321';
    expect(await sentBy(2)).to.deep.equal([
      { path: '/message/sendText/horizonte', body: { number, text: 'Das 8h às 21h.' } },
      {
        path: '/message/sendMedia/horizonte',
        body: { number, mediatype: 'image', media: 'https://example.com/mapa.png', caption: 'Mapa' },
      },
    ]);
    expect(provider.received[0]?.headers['apikey']).to.equal('key');
    await send('/evolution/hook', fromEvolution('m2', 'E aos sábados?'));
    await sentBy(4);
    const { body } = await service.demo.call('listConversations', { platform: 'whatsapp' });
    expect(body.data.items).to.have.length(1);
  });

  it('answers what the Cloud API delivers, if Meta has signed it', async () => {
    const challenge = '?hub.mode=subscribe&hub.challenge=4711&hub.verify_token=';
    expect(await (await fetch(`${bridge.url}/cloud${challenge}hook`)).text()).to.equal('4711');
    expect((await fetch(`${bridge.url}/cloud${challenge}wrong`)).status).to.equal(403);
    const body = fromCloud('wamid.HBgN', { type: 'text', text: { body: 'Qual é o horário?' } });
    expect(await send('/cloud', body)).to.equal(403);
    expect(await sendAsMeta(body)).to.equal(200);
    const common = { messaging_product: 'whatsapp', to: '5511912345678' };
    const image = { link: 'https://example.com/mapa.png', caption: 'Mapa' };
    expect(await sentBy(2)).to.deep.equal([
      { path: '/1066/messages', body: { ...common, type: 'text', text: { body: 'Das 8h às 21h.' } } },
      { path: '/1066/messages', body: { ...common, type: 'image', image } },
    ]);
    expect(provider.received[0]?.headers.authorization).to.equal('Bearer graph');
  });

  it('answers what a person says in a recording, and says so where it cannot hear it', async () => {
    const base64 = readRecording('tone.ogg').toString('base64');
    const audioMessage = { mimetype: 'audio/ogg; codecs=opus', seconds: 3, ptt: true };
    await send('/evolution/hook', fromEvolution('a1', { audioMessage, base64 }));
    await sentBy(2);
    provider.script(({ path }, response) => {
      if (path.startsWith('/chat/getBase64')) response.end(JSON.stringify({ base64 }));
      else if (path === '/media-1') response.end(JSON.stringify({ url: `${provider.url}/file-1` }));
      else if (path === '/file-1') response.end(readRecording('tone.ogg'));
      else response.writeHead(path === '/media-2' ? 404 : 204).end();
    });
    await send('/evolution/hook', fromEvolution('a2', { audioMessage }));
    await sentBy(5);
    const audio = { mime_type: 'audio/ogg; codecs=opus', voice: true };
    await sendAsMeta(fromCloud('wamid.a3', { type: 'audio', audio: { ...audio, id: 'media-1' } }));
    await sentBy(9);
    const paths = provider.received.map(({ path }) => path);
    expect(paths.filter(path => path === '/message/sendText/horizonte')).to.have.length(2);
    expect(paths.slice(2, 3)).to.deep.equal(['/chat/getBase64FromMediaMessage/horizonte']);
    expect(paths.slice(5)).to.deep.equal(['/media-1', '/file-1', '/1066/messages', '/1066/messages']);
    expect(await service.db('messages').where('content', 'like', '[áudio%secretaria?')).to.have.length(3);
    await sendAsMeta(fromCloud('wamid.a4', { type: 'audio', audio: { ...audio, id: 'media-2' } }));
    expect((await sentBy(11)).at(-1)?.body).to.deep.include({ text: { body: UNHEARD } });
    service.model.onTranscription = hear('');
    await send('/evolution/hook', fromEvolution('a5', { audioMessage, base64 }));
    expect((await sentBy(12)).at(-1)?.body).to.deep.include({ text: UNHEARD });
  });

  /** Each text that was sent, behind whom it was sent to; the model repeats what it is asked. */
  const toldBy = async (count: number) => {
    const sent = await messagesBy(count);
    return sent.map(({ body }) => {
      const { number, to, recipient, text } = body as Record<string, string> & {
        text: string | { body: string };
      };
      return `${number ?? to ?? recipient}: ${typeof text === 'object' ? text.body : text}`;
    });
  };
  const repeat = () => service.model.script(say(({ messages }) => `Eco: ${messages.at(-1)?.content}`));
  const countConversations = async () => {
    const { body } = await service.demo.call('listConversations', { platform: 'whatsapp', limit: 100 });
    return body.data.items.length as number;
  };
  const ask = (text: string) => ({ type: 'text', text: { body: text } });

  it('keeps people without a phone apart and answers each of them, and nobody where there is no id at all', async () => {
    repeat();
    const before = await countConversations();
    const hidden = (user_id?: string) => [{ profile: { name: 'Bia', username: '@bia' }, user_id }];
    const noPhone = { from: undefined };
    await sendAsMeta(fromCloud('u1', { ...ask('a'), ...noPhone, from_user_id: 'BR.1' }, hidden('BR.1')));
    await toldBy(1);
    await sendAsMeta(fromCloud('u2', { ...ask('b'), from: '', from_user_id: 'BR.2' }, []));
    await toldBy(2);
    await sendAsMeta(fromCloud('u3', { ...ask('c'), ...noPhone }, hidden('BR.3')));
    await toldBy(3);
    await send('/evolution/hook', fromEvolution('u4', 'd', { remoteJid: '1038@lid' }));
    await toldBy(4);
    await send('/evolution/hook', fromEvolution('u5', 'e', { remoteJid: '1039:7@lid' }));
    await toldBy(5);
    await sendAsMeta(fromCloud('u6', { ...ask('f'), ...noPhone }, hidden()));
    await send('/evolution/hook', fromEvolution('u7', 'g', { remoteJid: 'undefined@s.whatsapp.net' }));
    await eventually(
      async () => said.join(''),
      text => ['u6', 'u7'].every(id => text.includes(`${id} has neither a phone nor a user id`)),
    );
    await send('/evolution/hook', fromEvolution('u8', 'h', { remoteJid: '1038@lid' }));
    const told = await toldBy(6);
    expect(told).to.deep.equal([
      'BR.1: Eco: a',
      'BR.2: Eco: b',
      'BR.3: Eco: c',
      '1038@lid: Eco: d',
      '1039@lid: Eco: e',
      '1038@lid: Eco: h',
    ]);
    expect(provider.received[0]?.body).to.deep.include({ recipient: 'BR.1', recipient_type: 'individual' });
    expect((await countConversations()) - before).to.equal(5);
    expect(await folder.read('people.json')).not.to.match(/undefined|null/);
  });

  it('knows a person by the phone and the user id that came together', async () => {
    repeat();
    const before = await countConversations();
    const phone = '5511955550001';
    const jid = `${phone}@s.whatsapp.net`;
    const keys = [
      { remoteJid: '2001@lid' },
      { remoteJid: '2001@lid', remoteJidAlt: jid },
      { remoteJid: '2001@lid', senderPn: jid },
      { remoteJid: '2001@lid', participantPn: `${phone}:12@s.whatsapp.net` },
      { remoteJid: jid, senderLid: '2001@lid' },
      { remoteJid: jid },
      { remoteJid: '2001@lid' },
    ];
    for (const [at, key] of keys.entries()) {
      await send('/evolution/hook', fromEvolution(`k${at}`, 'oi', key));
      await toldBy(at + 1);
    }
    const [first, ...others] = (await toldBy(7)).map(told => told.split(':')[0]);
    expect([first, ...new Set(others)]).to.deep.equal(['2001@lid', phone]);
    await sendAsMeta(fromCloud('k8', { ...ask('oi'), from: '5511955550002', from_user_id: 'BR.9' }));
    await toldBy(8);
    await sendAsMeta(fromCloud('k9', { ...ask('oi'), from: undefined, from_user_id: 'BR.9' }));
    expect((await toldBy(9)).at(-1)).to.equal('5511955550002: Eco: oi');
    expect((await countConversations()) - before).to.equal(2);
  });

  it('asks what a person wrote, chose or filled in, whatever it is wrapped in', async () => {
    repeat();
    let count = 0;
    for (const [message] of evolutionSays) {
      await send('/evolution/hook', fromEvolution(`w${count++}`, message));
      await toldBy(count);
    }
    for (const [message] of cloudSays) {
      await sendAsMeta(fromCloud(`w${count++}`, message));
      await toldBy(count);
    }
    const texts = (await toldBy(count)).map(told => told.split('Eco: ')[1]);
    expect(texts).to.deep.equal([...evolutionSays, ...cloudSays].map(([, text]) => text));
  });

  it('answers whatever a person sends, and only what a person sends', async () => {
    repeat();
    const wrapped = { documentWithCaptionMessage: { message: { documentMessage: { caption: 'vale?' } } } };
    const quiet = [
      fromEvolution('q1', 'oi', { remoteJid: '1203@g.us', participant: '5511987654321@s.whatsapp.net' }),
      fromEvolution('q2', 'oi', { remoteJid: 'status@broadcast', participant: '2001@lid' }),
      fromEvolution('q3', { reactionMessage: { text: '👍' } }),
      fromEvolution('q4', { protocolMessage: { type: 'REVOKE' }, messageContextInfo: {} }),
    ];
    for (const body of quiet) await send('/evolution/hook', body);
    await sendAsMeta(fromCloud('q8', { type: 'reaction', reaction: { emoji: '👍' } }));
    await sendAsMeta(fromCloud('q6', { type: 'system', system: { type: 'user_changed_number' } }));
    await sendAsMeta(fromCloud('q7', { ...ask('oi'), group_id: 'g' }));
    const heard = [
      fromEvolution('h1', { videoMessage: { caption: 'que dia?' }, messageContextInfo: {} }),
      fromEvolution('h2', wrapped),
      fromEvolution('h3', { orderMessage: { orderId: '1', message: 'quero este' } }),
      fromCloud('h4', { type: 'image', image: { id: 'media-3', caption: 'e este?' } }),
    ];
    for (const [at, body] of heard.entries()) {
      await ('event' in body ? send('/evolution/hook', body) : sendAsMeta(body));
      await toldBy(2 * at + 2);
    }
    const unread = [
      { viewOnceMessageV2: { message: { imageMessage: { mimetype: 'image/jpeg' } } } },
      { contactsArrayMessage: { contacts: [] } },
      { liveLocationMessage: { degreesLatitude: -23 } },
      { pollCreationMessageV3: { name: 'x' } },
    ];
    for (const [at, message] of unread.entries())
      await send('/evolution/hook', fromEvolution(`n${at}`, message));
    const unreadByCloud = ['unsupported', 'location', 'contacts', 'order', 'sticker', 'a-new-kind'];
    for (const type of unreadByCloud) await sendAsMeta(fromCloud(`n-${type}`, { type }));
    const texts = (await toldBy(18)).map(told => told.slice(told.indexOf(': ') + 2));
    const words = ['Eco: que dia?', 'Eco: vale?', 'Eco: quero este', 'Eco: e este?'];
    expect(texts.slice(0, 8)).to.deep.equal(words.flatMap(text => [UNREAD, text]));
    expect([...new Set(texts.slice(8))]).to.deep.equal([UNREAD]);
  });

  it('tells the assistant which message a person answers', async () => {
    const contextInfo = { quotedMessage: { conversation: 'Matrícula até 10/03.' } };
    await send(
      '/evolution/hook',
      fromEvolution('c1', { extendedTextMessage: { text: 'e depois?', contextInfo } }),
    );
    await sentBy(2);
    const told = service.model.requests[0]?.messages.map(({ content }) => content);
    expect(told?.at(-1)).to.equal('e depois?');
    expect(told?.join('\n')).to.include('"Matrícula até 10/03."');
  });

  it('sends what staff write to the person, over the channel of the conversation, if Parley has signed it', async () => {
    const people = JSON.parse(await folder.read('people.json'));
    const [ana, bruno] = [people['5511987654321'], people['5511912345678']];
    const write = (conversationId: string, content: string) =>
      service.demo.call('appendMessage', { conversationId, author: 'human', content });
    await write(await service.newConversation(), 'De outro canal.');
    await write(ana.conversationId, 'Oi, Ana!');
    await write(bruno.conversationId, 'Oi, Bruno!');
    const common = { messaging_product: 'whatsapp', to: bruno.phone };
    expect(await sentBy(2)).to.have.deep.members([
      { path: '/message/sendText/horizonte', body: { number: ana.phone, text: 'Oi, Ana!' } },
      { path: '/1066/messages', body: { ...common, type: 'text', text: { body: 'Oi, Bruno!' } } },
    ]);
    const { webhookId } = webhook;
    const states = await eventually(
      async (): Promise<string[]> => {
        const { body } = await service.demo.call('listDeliveries', { webhookId });
        return body.data.items.map(({ state }: { state: string }) => state);
      },
      found => !found.includes('pending'),
    );
    expect(states).to.deep.equal(['delivered', 'delivered', 'delivered']);
    const forged = { type: 'message.sent', data: { conversationId: ana.conversationId, wppParsed: [] } };
    expect(await send('/parley', forged, { 'webhook-signature': 'v1,bm8=' })).to.equal(403);
  });

  it('writes to the person who fell silent', async () => {
    await service.demo.call('editAvatar', { avatar_id: service.demo.avatarId, idle_after_minutes: 5 });
    await send('/evolution/hook', fromEvolution('e1', 'Qual é o horário?'));
    await sentBy(2);
    provider.received.length = 0;
    service.model.say('Ainda posso ajudar?');
    await service.db('conversations').whereNotNull('idle_due_at').update({ idle_due_at: new Date() });
    expect((await sentBy(1))[0]?.body).to.deep.include({ text: 'Ainda posso ajudar?' });
  });

  it('sends the other items where the provider refuses one', async () => {
    service.model.say('Um.\n\n![Mapa](https://example.com/mapa.png)\n\nDois.');
    provider.script(({ path }, response) => {
      response.writeHead(path.startsWith('/message/sendMedia') ? 400 : 204).end();
    });
    await send('/evolution/hook', fromEvolution('d1', 'Qual é o horário?'));
    const sent = (await sentBy(3)).map(({ path }) => path.split('/')[2]);
    expect(sent).to.deep.equal(['sendText', 'sendMedia', 'sendText']);
  });
});
