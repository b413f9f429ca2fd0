import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { type Api, startApi } from '../../api/start.ts';
import { sendNotices } from '../../db/conversations/notice-channel.ts';
import { makeLog } from '../../platform/log.ts';
import { expectWrong } from '../support/contract.ts';
import { type EventClient, requestEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { openConnection } from '../support/raw-connection.ts';
import { openService } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const EVENTS = '/console/events';
const TYPING = '/console/typing';
/** Pages of one host at one process. */
const MAX_OF_HOST = 200;

describe('what pages of the console are told while they are open', () => {
  const service = openService();
  const { demo, acme } = service;
  const other = openOnce(() => startApi({ ...service.settings, port: 0 }, silent()));
  let open: EventClient[] = [];
  afterEach(async () => {
    for (const client of open) client.disconnect();
    open = [];
    await service.db('people').delete();
    await service.db('token_sessions').delete();
  });

  const silent = () => makeLog('test', 'info', new Writable({ write: (_chunk, _encoding, done) => done() }));
  const urlOf = ({ port }: Api) => `http://127.0.0.1:${port}`;
  const exchange = async (secret: string): Promise<string> => {
    const { headers } = await service.call('/console/sign-in', undefined, { token: secret, method: 'POST' });
    return headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  /** The cookie of a person of the host. */
  const signIn = async (name: string, role = 'agent') => {
    const personId = await demo.addPerson(name, role);
    return { personId, cookie: (await demo.enter(personId)).headers.cookie };
  };
  const follow = async (cookie: string, baseURL = service.baseURL) => {
    const client = await requestEvents(`${baseURL}${EVENTS}`, { headers: { cookie } });
    open.push(client);
    return client;
  };
  const write = (conversationId: string, host = demo) =>
    host.make('appendMessage', {
      conversationId,
      author: 'user',
      content: 'Segredo',
      template: undefined,
      external_id: undefined,
    });
  const changed = (conversationId: string) => ({
    event: 'change',
    data: { conversationId, kind: 'changed' },
  });
  const waitForChange = ({ events }: EventClient, conversationId: string) =>
    eventually(
      () => events,
      all => all.some(({ event, data }) => event === 'change' && data.conversationId === conversationId),
    );
  const callWith = (cookie: string, path: string, body?: object, headers = {}) =>
    service.call(path, body, { token: undefined, headers: { cookie, ...headers } });
  const typing = (cookie: string, body: object, headers: Record<string, string> = {}) =>
    callWith(cookie, TYPING, body, { 'x-parley-console': '1', ...headers });

  it('is a message that another process took, without its text, and nothing of another host', async () => {
    const [here, there] = [await demo.newConversation(), await acme.newConversation()];
    const ours = await follow(await exchange(demo.token), urlOf(other));
    const theirs = await follow(await exchange(acme.token), urlOf(other));
    await write(here);
    await waitForChange(ours, here);
    await write(there, acme);
    await waitForChange(theirs, there);
    expect(ours.events).to.deep.equal([changed(here)]);
    expect(theirs.events).to.deep.equal([changed(there)]);
    expect(ours.response.headers.get('x-accel-buffering')).to.equal('no');
  });

  it('is a question when it is asked, also to be answered later, and when it is answered', async () => {
    const client = await follow(await exchange(demo.token));
    const conversationId = await service.newConversation();
    await service.ask('Que horas abre?', { conversationId });
    await eventually(
      () => client.events,
      ({ length }) => length > 1,
    );
    expect(client.events.map(({ data }) => data)).to.deep.equal([
      { conversationId, kind: 'asked' },
      { conversationId, kind: 'changed' },
    ]);
    const later = await service.newConversation();
    const headers = { prefer: 'respond-async' };
    expect((await service.ask('E no sábado?', { conversationId: later }, { headers })).status).to.equal(202);
    await waitForChange(client, later);
    // It may be answered by now.
    const first = client.events.find(({ data }) => data.conversationId === later);
    expect(first?.data).to.deep.equal({ conversationId: later, kind: 'asked' });
  });

  it('is a question in the form of OpenAI of the conversation whose history it carries', async () => {
    const asked = async (...contents: string[]) => {
      const messages = contents.map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content }));
      return (await service.call('/v1/chat/completions', { model: 'principal', messages })).body;
    };
    const { choices, parley } = await asked('Oi, que horas abre?');
    const client = await follow(await exchange(demo.token));
    await asked('Oi, que horas abre?', choices[0].message.content, 'E no sábado?');
    await waitForChange(client, parley.conversationId);
    expect(client.events[0]?.data).to.deep.equal({ conversationId: parley.conversationId, kind: 'asked' });
  });

  it('is who writes, in the name of the person, to the colleagues and not to the writer', async () => {
    const [bia, caio] = [await signIn('Bia'), await signIn('Caio')];
    const [writer, colleague] = [await follow(bia.cookie), await follow(caio.cookie, urlOf(other))];
    const conversationId = await demo.newConversation();
    // Often, and under another name.
    const body = { conversationId, name: 'Rui' };
    const sent = await Promise.all([1, 2, 3].map(() => typing(bia.cookie, body)));
    expect(sent.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    await write(conversationId);
    await waitForChange(writer, conversationId);
    await waitForChange(colleague, conversationId);
    const told = { event: 'typing', data: { conversationId, name: 'Bia', personId: bia.personId } };
    expect(colleague.events).to.deep.equal([told, changed(conversationId)]);
    expect(writer.events).to.deep.equal([changed(conversationId)]);
  });

  it('takes who writes only from the page itself, with the id of a conversation', async () => {
    const { cookie } = await signIn('Bia');
    const conversationId = randomUUID();
    expect((await typing(cookie, { conversationId }, { 'x-parley-console': '' })).status).to.equal(403);
    expectWrong(await typing(cookie, { conversationId: 'x' }), 'conversationId');
  });

  it('is told to sessions alone that may list the conversations', async () => {
    expect((await service.call(EVENTS)).status).to.equal(401);
    const token = await service.makeToken({ hostIds: [demo.hostId], scopes: ['report'] });
    expect((await callWith(await exchange(token), EVENTS)).status).to.equal(403);
  });

  it('ends for a person who is disabled, at every process, and for nobody else', async () => {
    const [bia, caio] = [await signIn('Bia'), await signIn('Caio')];
    const [gone, stays] = [await follow(bia.cookie, urlOf(other)), await follow(caio.cookie)];
    await demo.call('savePerson', { personId: bia.personId, disabled: true });
    expect(await gone.readAll()).to.deep.equal([]);
    const conversationId = await demo.newConversation();
    await write(conversationId);
    await waitForChange(stays, conversationId);
  });

  it('does not hold up the end of a process', async () => {
    const ending = await startApi({ ...service.settings, port: 0 }, silent());
    const client = await follow(await exchange(demo.token), urlOf(ending));
    await ending.close(600_000);
    expect(await client.readAll()).to.deep.equal([]);
  });

  it('is refused by name to one page too many of a host, not to another host, and not when a page was closed', async () => {
    const cookie = await exchange(demo.token);
    const [first] = await Promise.all(Array.from({ length: MAX_OF_HOST }, () => follow(cookie)));
    const { status, body } = await callWith(cookie, EVENTS);
    const why = 'Too many pages of the console are open for the host';
    expect([status, body.message]).to.deep.equal([429, why]);
    expect((await follow(await exchange(acme.token))).response.status).to.equal(200);
    first?.disconnect();
    await eventually(async () => (await follow(cookie)).response.status, 200);
  });

  it('takes no place for pages that left before they were let in, behind another request of their connection', async () => {
    const cookie = await exchange(demo.token);
    const asked = `GET ${EVENTS} HTTP/1.1\r\nHost: parley\r\nCookie: ${cookie}\r\n\r\n`.repeat(8);
    const locking = await service.db.transaction();
    await locking.raw('lock table token_sessions in access exclusive mode');
    const pages = await Promise.all(Array.from({ length: 100 }, () => openConnection(service.baseURL)));
    for (const { socket } of pages) socket.write(asked);
    await service.call('/health/live');
    await waitForLock(locking);
    for (const { socket } of pages) socket.destroy();
    await Promise.all(pages.map(({ closed }) => closed));
    await service.call('/health/live');
    await locking.rollback();
    // It is let in after them.
    expect((await callWith(cookie, '/console/session')).status).to.equal(200);
    expect((await follow(cookie)).response.status).to.equal(200);
  });

  it('is not kept for a page that does not read it: its connection ends', async () => {
    const cookie = await exchange(demo.token);
    const { socket } = await openConnection(service.baseURL);
    socket.write(`GET ${EVENTS} HTTP/1.1\r\nHost: parley\r\nCookie: ${cookie}\r\n\r\n`);
    await new Promise(resolve => socket.once('data', resolve));
    socket.removeAllListeners('data').pause();
    const by = { hostId: demo.hostId, name: 'x'.repeat(7_000), personId: null, writer: '' };
    // Equal ones would be sent once.
    const makeLong = () => ({ kind: 'typing', conversationId: randomUUID(), ...by }) as const;
    const isOver = () =>
      service.logged.some(line => line.includes(`"route":"${EVENTS}"`) && line.includes('"gone":true'));
    service.logged.length = 0;
    await eventually(async () => {
      await sendNotices(service.db, Array.from({ length: 100 }, makeLong));
      return isOver();
    }, Boolean);
    socket.destroy();
  });
});
