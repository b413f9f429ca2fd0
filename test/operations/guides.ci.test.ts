import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import getPort from 'get-port';
import { parseAllowed } from '../../platform/allowed-address.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { answer, startReceiver } from '../support/receiver.ts';
import { readRecording } from '../support/recordings.ts';
import { hear } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';
import { root } from '../support/source-files.ts';

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
/** The first program or commands in this language on a page. */
const blockOf = (page: string, language: string) => {
  const [, block = ''] = new RegExp(`^ *\`\`\`${language}\n([^]*?)^ *\`\`\``, 'm').exec(textOf(page)) ?? [];
  return block;
};
/** The first commands of the README: they define BASE, call, field and HOST_ID. */
const asked = /^BASE=[^]*?(?=^# a conversation)/m.exec(textOf('README.md'))?.[0] ?? '';

describe('what the guides show', () => {
  let service: Service;
  let folder: string;
  let ports: { readonly bridge: string; readonly receiver: string };
  const programs: ChildProcess[] = [];
  before(async () => {
    ports = { bridge: String(await getPort()), receiver: String(await getPort()) };
    const [, setting = ''] =
      /EGRESS_ALLOW=(\S+) npm start/.exec(textOf('docs/guides/first-webhook.md')) ?? [];
    const allowed = [`127.0.0.1:${ports.bridge}`, setting.replace('9000', ports.receiver)];
    service = await startService({
      egressAllow: allowed.flatMap(text => parseAllowed(text) ?? []),
      transcriptionModel: 'whisper-1',
    });
    // In the project, so that packages are found.
    folder = await mkdtemp(join(root, 'node_modules', '.cache-guides-'));
    await mkdir(join(folder, '.data'));
    await writeFile(join(folder, '.data', 'demo-token'), service.demo.token);
  });
  afterEach(async () => {
    for (const program of programs.splice(0)) {
      program.kill();
      await once(program, 'exit');
    }
    service.model.reset();
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const parley = () => ({ PARLEY_URL: service.baseURL, PARLEY_TOKEN: service.demo.token });
  /** Runs the program of a page until it says that it listens; `said` grows with what it prints. */
  const start = async (page: string, env: Record<string, string>) => {
    const said: string[] = [];
    await writeFile(join(folder, 'program.mjs'), blockOf(page, 'js'));
    const program = spawn(process.execPath, ['program.mjs'], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    programs.push(program);
    for (const stream of [program.stdout, program.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => void said.push(text));
    await eventually(
      async () => said.join(''),
      text => text.includes('listens'),
    );
    return said;
  };
  const paste = async (commands: string) => {
    const script = `${asked}${commands}`.replace('http://127.0.0.1:3000', service.baseURL);
    const before = await readdir(folder);
    const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: folder });
    const made = (await readdir(folder)).filter(name => !before.includes(name));
    // Which git ignores.
    expect(made.filter(name => name !== 'try')).to.deep.equal([]);
    return stdout;
  };

  describe('as a WhatsApp bridge', () => {
    const provider = openOnce(startReceiver);
    let bridge: string;
    let webhook: { webhookId: string; secret: string };
    before(async () => {
      bridge = `http://127.0.0.1:${ports.bridge}`;
      const events = ['message.sent', 'conversation.idle'];
      const wanted = { name: 'bridge', url: `${bridge}/parley`, events };
      webhook = (await service.demo.call('saveWebhook', wanted)).body.data;
    });
    beforeEach(async () => {
      service.model.say('Das 8h às 21h.\n\n![Mapa](https://example.com/mapa.png)');
      service.model.onTranscription = hear('Qual é o horário da secretaria?');
      provider.script(answer(204));
      provider.received.length = 0;
      await start('docs/guides/whatsapp-bridge.md', {
        ...parley(),
        HOST_SLUG: service.demo.slug,
        HOOK_SECRET: 'hook',
        APP_SECRET: 'app',
        EVOLUTION_URL: provider.url,
        EVOLUTION_KEY: 'key',
        GRAPH_URL: provider.url,
        GRAPH_TOKEN: 'graph',
        WEBHOOK_SECRET: webhook.secret,
        PORT: ports.bridge,
      });
    });
    const send = async (path: string, body: object, headers: Record<string, string> = {}) =>
      (await fetch(`${bridge}${path}`, { method: 'POST', body: JSON.stringify(body), headers })).status;
    const sentBy = (count: number) =>
      eventually(
        async () => provider.received.map(({ path, body }) => ({ path, body: body as object })),
        sent => sent.length >= count,
      );
    const fromEvolution = (id: string, message: string | object) => ({
      event: 'messages.upsert',
      instance: 'horizonte',
      data: {
        key: { remoteJid: '5511987654321@s.whatsapp.net', fromMe: false, id },
        pushName: 'Ana',
        message: typeof message === 'string' ? { conversation: message } : message,
      },
    });

    const fromCloud = (id: string, message: object) => {
      const value = {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: '551130000000', phone_number_id: '1066' },
        contacts: [{ profile: { name: 'Bruno' }, wa_id: '5511912345678' }],
        messages: [{ from: '5511912345678', id, ...message }],
      };
      const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
      return { object: 'whatsapp_business_account', entry };
    };
    const sendAsMeta = (body: object) => {
      const digest = createHmac('sha256', 'app').update(JSON.stringify(body)).digest('hex');
      return send('/cloud', body, { 'x-hub-signature-256': `sha256=${digest}` });
    };
    const UNREAD = 'Por enquanto só leio textos e áudios. Pode escrever?';

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
      expect(await (await fetch(`${bridge}/cloud${challenge}hook`)).text()).to.equal('4711');
      expect((await fetch(`${bridge}/cloud${challenge}wrong`)).status).to.equal(403);
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
      const said = await service.db('messages').where('content', 'like', '[áudio%secretaria?');
      expect(said).to.have.length(3);
      await sendAsMeta(fromCloud('wamid.a4', { type: 'audio', audio: { ...audio, id: 'media-2' } }));
      expect((await sentBy(11)).at(-1)?.body).to.deep.include({ text: { body: UNREAD } });
      service.model.onTranscription = hear('');
      await send('/evolution/hook', fromEvolution('a5', { audioMessage, base64 }));
      expect((await sentBy(12)).at(-1)?.body).to.deep.include({ text: UNREAD });
    });

    it('says so where it cannot read a kind, and answers the words beside it', async () => {
      await sendAsMeta(fromCloud('wamid.r', { type: 'reaction', reaction: { emoji: '👍' } }));
      await send('/evolution/hook', fromEvolution('i1', { documentMessage: { fileName: 'a.pdf' } }));
      expect((await sentBy(1))[0]?.body).to.deep.include({ text: UNREAD });
      const image = { id: 'media-3', caption: 'Qual é o horário?' };
      await sendAsMeta(fromCloud('wamid.i2', { type: 'image', image }));
      const texts = (await sentBy(4)).map(({ body }) => (body as { text?: unknown }).text);
      expect(texts).to.deep.equal([UNREAD, { body: UNREAD }, { body: 'Das 8h às 21h.' }, undefined]);
    });

    it('sends what staff write to the person, over the channel of the conversation, if Parley has signed it', async () => {
      const people = JSON.parse(await readFile(join(folder, 'people.json'), 'utf8'));
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

  it('as a first webhook receives and verifies events', async () => {
    const port = ports.receiver;
    const saved = await paste(blockOf('docs/guides/first-webhook.md', 'bash').replace('9000', port));
    const { secret, webhookId } = JSON.parse(saved).data;
    const said = await start('docs/guides/first-webhook.md', { WEBHOOK_SECRET: secret, PORT: port });
    await service.demo.call('testWebhook', { webhookId });
    await eventually(
      async () => said.join(''),
      text => text.includes('webhook.test {}'),
    );
    const unsigned = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' });
    expect(unsigned.status).to.equal(401);
  });

  it('as a first document imports it', async () => {
    await cp(join(root, 'docs', 'guides'), join(folder, 'docs', 'guides'), { recursive: true });
    // Somebody who pastes it looks once a second. Each look starts four processes.
    const commands = blockOf('docs/guides/first-document.md', 'bash').replace('sleep 1', 'sleep 0.4');
    const job = JSON.parse(await paste(commands));
    expect(job.data).to.deep.include({ state: 'completed', code: 200 });
  });

  it('as an OpenAI client gets an answer of the demonstration', async () => {
    service.model.say('Das 8h às 21h.');
    await writeFile(join(folder, 'client.mjs'), blockOf('docs/guides/openai-client.md', 'js'));
    const env = { ...process.env, ...parley() };
    const { stdout } = await promisify(execFile)(process.execPath, ['client.mjs'], { cwd: folder, env });
    expect(stdout.trim()).to.equal('Das 8h às 21h.');
  });
});
