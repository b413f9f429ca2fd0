import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Api, startApi } from '../../api/start.ts';
import { makeLog } from '../../platform/log.ts';
import type { Refusal } from '../../queues/contract/failure.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { requestEvents } from '../support/event-client.ts';
import { openEach, openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { sayInPieces } from '../support/scripted-model.ts';
import { type ApiResponse, openService } from '../support/service.ts';

const SITE = 'https://www.exemplo.edu.br';
const OTHER_SITE = 'https://www.outra.edu.br';

interface Chat {
  readonly chatId: string;
  readonly publicKey: string;
}

describe('the chat of a site', () => {
  const service = openService();
  const { model, db } = service;
  const host = openEach(() => service.addHost());
  beforeEach(() => model.say('Das 8h às 21h.'));

  const save = async (changes: Fields = {}): Promise<Chat & Fields> => {
    const sent = { avatarId: host.avatarId, origins: [SITE], title: 'Atendimento', ...changes };
    const { status, body } = await host.call('saveSiteChat', sent);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  };
  interface Sent {
    readonly origin?: string;
    readonly visitor?: string | undefined;
    readonly key?: string;
    readonly baseURL?: string;
  }
  const headersOf = ({ origin = SITE, key }: Sent) => ({
    origin,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  });
  const send = (publicKey: string, name: string, body: object, sent: Sent = {}) =>
    service.call(`/site-chat/${publicKey}/${name}`, body, { token: sent.visitor, headers: headersOf(sent) });
  const visit = async (publicKey: string, sent: Sent = {}): Promise<string> =>
    (await send(publicKey, 'visits', {}, sent)).body.data.visitor;
  const ask = (publicKey: string, question: string, sent: Sent) =>
    send(publicKey, 'questions', { question }, sent);
  const read = async (publicKey: string, visitor: string, body: object = {}) =>
    (await send(publicKey, 'messages', body, { visitor })).body.data;
  const textsOf = (found: { messages: { from: string; text: string }[] }) =>
    found.messages.map(({ from, text }) => `${from}: ${text}`);
  const conversationOf = (visitor: string) => visitor.slice('vis_'.length).split('.')[0] ?? '';

  describe('is saved', () => {
    it('with the defaults of what is left out, changed by its id, listed and deleted', async () => {
      const { chatId, publicKey, ...made } = await save({ origins: [`${SITE.toUpperCase()}/`, SITE] });
      expect(publicKey).to.match(/^chat_[\w-]{22}$/);
      expect(made).to.deep.include({
        origins: [SITE],
        enabled: true,
        showSources: true,
        visitorQuestionsPerHour: 20,
        addressQuestionsPerHour: 60,
        questionsPerDay: 2_000,
      });
      expect(await save({ chatId, avatarId: undefined, title: 'Dúvidas' })).to.deep.include({
        publicKey,
        title: 'Dúvidas',
        origins: [SITE],
      });
      const listed = async () =>
        (await host.call('listSiteChats')).body.data.map(({ title }: Fields) => title);
      expect(await listed()).to.deep.equal(['Dúvidas']);
      await save({ chatId, deleted: true });
      expect(await listed()).to.deep.equal([]);
      expectRefused(await send(publicKey, 'visits', {}), 'site-chat-not-found');
    });

    it('only for origins of pages', async () => {
      const wrong = [
        'exemplo.edu.br',
        'https://*.edu.br',
        `${SITE}/chat`,
        'https://a:b@exemplo.edu.br',
        'null',
      ];
      for (const origin of wrong) {
        const sent = { avatarId: host.avatarId, title: 'Chat', origins: [SITE, origin] };
        expectWrong(await host.call('saveSiteChat', sent), 'origins[1]');
      }
      const known = await save({ origins: ['https://são.edu.br:443', 'http://localhost:8080'] });
      expect(known).to.deep.include({ origins: ['https://xn--so-sia.edu.br', 'http://localhost:8080'] });
    });
  });

  describe('is for pages of its origins', () => {
    it('which a browser may let it read, and no other', async () => {
      const { publicKey } = await save();
      const visitor = await visit(publicKey);
      const allowed = 'access-control-allow-origin';
      for (const name of ['visits', 'questions', 'messages']) {
        const options = { token: undefined, method: 'OPTIONS' };
        const path = `/site-chat/${publicKey}/${name}`;
        const preflight = await service.call(path, undefined, { ...options, headers: { origin: SITE } });
        expect([preflight.status, preflight.headers.get(allowed)]).to.deep.equal([204, SITE]);
        for (const origin of [OTHER_SITE, 'null', `${SITE}.example`, '']) {
          const refused = await send(publicKey, name, { question: 'Oi?' }, { origin, visitor });
          expectRefused(refused, 'origin-not-allowed');
          expect(refused.headers.get(allowed)).to.equal(null);
          const asked = await service.call(path, undefined, { ...options, headers: { origin } });
          expect([asked.status, asked.headers.get(allowed)]).to.deep.equal([403, null]);
        }
      }
      const answer = await ask(publicKey, 'Que horas abre?', { visitor });
      expect([answer.status, answer.headers.get(allowed)]).to.deep.equal([200, SITE]);
      expect(answer.headers.get('vary')).to.include('Origin');
    });

    it('until it is disabled, or its host or its avatar is', async () => {
      const { chatId, publicKey } = await save();
      await save({ chatId, enabled: false });
      expectRefused(await send(publicKey, 'visits', {}), 'site-chat-not-found');
      await save({ chatId, enabled: true });
      await db('hosts').where({ id: host.hostId }).update({ disabled: true });
      expectRefused(await send(publicKey, 'visits', {}), 'host-disabled');
      await db('hosts').where({ id: host.hostId }).update({ disabled: false });
      await db('avatars').where({ host_id: host.hostId }).update({ deleted: true });
      expectRefused(await send(publicKey, 'visits', {}), 'site-chat-not-found');
    });
  });

  describe('knows a visitor', () => {
    it('whose one conversation it is, on the platform of sites', async () => {
      const { publicKey } = await save();
      const visitor = await visit(publicKey);
      expect(await read(publicKey, visitor)).to.deep.equal({ staff: 'none', messages: [] });
      const { body } = await ask(publicKey, 'Que horas abre?', { visitor });
      expect(body.data).to.deep.equal({ text: 'Das 8h às 21h.', staff: 'none' });
      const both = ['visitor: Que horas abre?', 'assistant: Das 8h às 21h.'];
      const found = await read(publicKey, visitor);
      expect(textsOf(found)).to.deep.equal(both);
      expect(await read(publicKey, visitor, { after: found.messages[1].id }))
        .to.include({ staff: 'none' })
        .and.to.deep.include({ messages: [] });
      const [listed] = (await host.call('listConversations', { platform: 'site' })).body.data.items;
      expect(listed.id).to.equal(conversationOf(visitor));
      const again = await visit(publicKey, { visitor });
      expect(textsOf(await read(publicKey, again))).to.deep.equal(both);
      expect(textsOf(await read(publicKey, await visit(publicKey)))).to.deep.equal([]);
    });

    it('that is forged, or was signed for another chat or origin, as nobody', async () => {
      const { publicKey } = await save({ origins: [SITE, OTHER_SITE] });
      const { publicKey: otherKey } = await save();
      const visitor = await visit(publicKey);
      await ask(publicKey, 'Segredo?', { visitor });
      const [id = '', at = '', mac = ''] = visitor.slice('vis_'.length).split('.');
      const forged = [
        `vis_${randomUUID()}.${at}.${mac}`,
        `vis_${id}.${Number(at) + 1}.${mac}`,
        `vis_${id}.${at}.${'A'.repeat(43)}`,
        `vis_${id}.${at}.`,
        id,
        host.token,
        '',
      ];
      for (const name of ['messages', 'questions']) {
        const body = name === 'questions' ? { question: 'Oi?' } : {};
        for (const each of forged)
          expectRefused(await send(publicKey, name, body, { visitor: each }), 'visitor-invalid');
        expectRefused(await send(publicKey, name, body, { visitor, origin: OTHER_SITE }), 'visitor-invalid');
        expectRefused(await send(otherKey, name, body, { visitor }), 'visitor-invalid');
      }
      // A visit makes another one of what is not its own.
      expect(conversationOf(await visit(otherKey, { visitor }))).to.not.equal(conversationOf(visitor));
    });

    it('who may do nothing else, whatever the call names', async () => {
      const { publicKey } = await save();
      const visitor = await visit(publicKey);
      const foreign = (await host.ask('Segredo?')).data.conversationId;
      const named = { conversationId: foreign, hostId: service.demo.hostId, subSlug: 'outro' };
      await send(
        publicKey,
        'questions',
        { question: 'Oi?', ...named, globalData: { platform: 'x' } },
        { visitor },
      );
      expect(textsOf(await read(publicKey, visitor, named))).to.deep.equal([
        'visitor: Oi?',
        'assistant: Das 8h às 21h.',
      ]);
      for (const name of ['listMessages', 'reason', 'listConversations'] as const)
        expectRefused(await host.call(name, { conversationId: foreign }, { token: visitor }), 'unauthorized');
    });

    it('whose key is of one question: another visitor with the same key gets an answer of its own', async () => {
      const { publicKey } = await save();
      const [ana, rui] = [await visit(publicKey), await visit(publicKey)];
      const key = randomUUID();
      expect((await ask(publicKey, 'Oi?', { visitor: ana, key })).body.data.text).to.equal('Das 8h às 21h.');
      model.say('Outra resposta.');
      expect((await ask(publicKey, 'Oi?', { visitor: ana, key })).body.data.text).to.equal('Das 8h às 21h.');
      expect((await ask(publicKey, 'Oi?', { visitor: rui, key })).body.data.text).to.equal('Outra resposta.');
      expectRefused(await ask(publicKey, 'E isto?', { visitor: ana, key }), 'key-reused');
    });
  });

  describe('has limits', () => {
    const other = openOnce(() =>
      startApi({ ...service.settings, port: 0, trustProxy: true }, makeLog('test', 'silent')),
    );
    const urlOf = ({ port }: Api) => `http://127.0.0.1:${port}`;

    it('of a visitor, of an address and of the day, over all processes; a refused question counts for none', async () => {
      const { chatId, publicKey } = await save({
        visitorQuestionsPerHour: 2,
        addressQuestionsPerHour: 3,
        questionsPerDay: 4,
      });
      const [ana, rui] = [await visit(publicKey), await visit(publicKey)];
      const from = async (address: string, visitor: string, key: string = randomUUID()) => {
        const headers = {
          ...headersOf({ key }),
          'x-forwarded-for': address,
          authorization: `Bearer ${visitor}`,
        };
        const response = await fetch(`${urlOf(other)}/site-chat/${publicKey}/questions`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ question: 'Oi?' }),
        });
        return {
          status: response.status,
          headers: response.headers,
          body: JSON.parse(await response.text()),
        };
      };
      const key = randomUUID();
      expect((await from('10.0.0.1', ana, key)).status).to.equal(200);
      expect((await from('10.0.0.1', ana, key)).status).to.equal(200);
      expect((await from('10.0.0.1', ana)).status).to.equal(200);
      const expectLimited = (answer: ApiResponse, reason: Refusal, seconds = 3_600) => {
        const retryAfter = Number(answer.headers.get('retry-after'));
        expect(retryAfter).to.be.within(seconds - 100, seconds);
        expectRefused(answer, reason, { retryAfter });
      };
      expectLimited(await from('10.0.0.2', ana), 'visitor-limit');
      expect((await from('10.0.0.1', rui)).status).to.equal(200);
      expectLimited(await from('10.0.0.1', rui), 'address-limit');
      expect((await from('10.0.0.2', rui)).status).to.equal(200);
      const third = await visit(publicKey);
      expectLimited(await from('10.0.0.3', third), 'chat-limit', 86_400);
      await db('site_chat_counts').where({ chat_id: chatId }).update({ ends_at: new Date() });
      expect((await from('10.0.0.1', ana)).status).to.equal(200);
    });

    it('and keeps neither the address nor the visitor in its counts', async () => {
      const { chatId, publicKey } = await save();
      const visitor = await visit(publicKey);
      await ask(publicKey, 'Oi?', { visitor });
      const counted = JSON.stringify(await db('site_chat_counts').where({ chat_id: chatId }));
      expect(counted).to.not.include(conversationOf(visitor)).and.to.not.include('127.0.0.1');
    });

    it('of the budget of its host: a model without a price is not asked', async () => {
      await db('hosts').where({ id: host.hostId }).update({ daily_budget: 0 });
      const { publicKey } = await save();
      const refused = await ask(publicKey, 'Oi?', { visitor: await visit(publicKey) });
      expect(refused.body.data.reason).to.equal('model-without-price');
    });

    it('of what is sent', async () => {
      const { publicKey } = await save();
      const visitor = await visit(publicKey);
      expectWrong(await ask(publicKey, '', { visitor }), 'question');
      expectWrong(await ask(publicKey, 'a'.repeat(4_001), { visitor }), 'question');
      expectRefused(await ask(publicKey, 'a'.repeat(70_000), { visitor }), 'body-too-large');
      expectWrong(await send(publicKey, 'messages', { after: '1; drop' }, { visitor }), 'after');
    });
  });

  it('streams an answer, which goes on when the visitor leaves, and which a repeated question joins', async () => {
    const { publicKey } = await save();
    const visitor = await visit(publicKey);
    const key = randomUUID();
    const stream = () =>
      requestEvents(`${service.baseURL}/site-chat/${publicKey}/questions`, {
        method: 'POST',
        headers: {
          ...headersOf({ key }),
          authorization: `Bearer ${visitor}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({ question: 'Que horas abre?' }),
      });
    let go = () => {};
    const gate = new Promise<void>(resolve => (go = resolve));
    model.script(sayInPieces(['Das 8h ', 'às 21h.'], at => (at === 0 ? Promise.resolve() : gate)));
    const first = await stream();
    await first.waitForText('Das 8h ');
    first.disconnect();
    const second = stream();
    go();
    const events = await (await second).readAll();
    expect(events.at(-1)).to.deep.equal({
      event: 'answer',
      data: { code: 200, message: 'Success', data: { text: 'Das 8h às 21h.', staff: 'none' } },
    });
    expect(textsOf(await read(publicKey, visitor))).to.deep.equal([
      'visitor: Que horas abre?',
      'assistant: Das 8h às 21h.',
    ]);
    expect(model.requests).to.have.lengthOf(1);
  });

  it('brings what the staff writes, but no note, and tells who answers', async () => {
    const { publicKey } = await save();
    const visitor = await visit(publicKey);
    await ask(publicKey, 'Quero falar com alguém.', { visitor });
    const conversationId = conversationOf(visitor);
    await host.call('updateConversation', { conversationId, askHumanHelp: true });
    expect((await read(publicKey, visitor)).staff).to.equal('waiting');
    await host.call('appendMessage', {
      conversationId,
      author: 'note',
      content: 'Aluno difícil.',
      name: 'Bia',
    });
    await host.call('appendMessage', { conversationId, author: 'human', content: 'Olá!', name: 'Bia' });
    const { staff, messages } = await read(publicKey, visitor);
    expect(staff).to.equal('attending');
    expect(messages.at(-1)).to.deep.include({ from: 'staff', name: 'Bia', text: 'Olá!', files: null });
    expect(JSON.stringify(messages)).to.not.include('difícil');
    // The assistant is silent now.
    expect((await ask(publicKey, 'Obrigado.', { visitor })).body.data).to.deep.equal({
      text: '',
      staff: 'waiting',
    });
  });

  it('has a script for every site, at most 15 KB large, which browsers keep', async () => {
    const options = { token: undefined, headers: { origin: OTHER_SITE } };
    const { status, headers, body } = await service.call('/site-chat/chat.js', undefined, options);
    expect([status, headers.get('cross-origin-resource-policy'), headers.get('cache-control')]).to.deep.equal(
      [200, 'cross-origin', 'public, max-age=3600'],
    );
    expect(headers.get('content-type')).to.include('text/javascript');
    expect(gzipSync(body as string).length).to.be.below(15_360);
    const etag = headers.get('etag') ?? '';
    // Otherwise `fetch` asks for a new one.
    const kept = { token: undefined, headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } };
    expect((await service.call('/site-chat/chat.js', undefined, kept)).status).to.equal(304);
  });
});
