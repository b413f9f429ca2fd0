import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import OpenAI from 'openai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { fail, say, sayInPieces, sayVoid } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { runIn, table } from '../support/statements.ts';

type Message = OpenAI.ChatCompletionMessageParam;
interface Said {
  readonly conversationId: string;
  /** The messages as a client keeps them: with the answer. */
  readonly messages: Message[];
}

describe('a chat request without a user and without a conversation', () => {
  const service = openService();
  const { demo } = service;
  const client = openOnce(() => clientOf(demo.token));
  const clientOf = (apiKey: string) =>
    new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey, maxRetries: 0, logLevel: 'off' });
  const model = 'principal';
  /** No other test began like this. */
  const opening = () => `Oi, ${randomUUID()}`;
  const idOf = (completion: object) =>
    (completion as { parley: { conversationId: string } }).parley.conversationId;
  const contentOf = ({ content }: Message) => (typeof content === 'string' ? content : '');
  const ask = async (
    before: readonly Message[],
    question: string,
    from = client,
    headers: Record<string, string> = {},
  ): Promise<Said> => {
    const messages: Message[] = [...before, { role: 'user', content: question }];
    const completion = await from.chat.completions.create({ model, messages }, { headers });
    const content = completion.choices[0]?.message.content ?? '';
    return { conversationId: idOf(completion), messages: [...messages, { role: 'assistant', content }] };
  };
  const stream = async (before: readonly Message[], question: string): Promise<Said> => {
    const messages: Message[] = [...before, { role: 'user', content: question }];
    let content = '';
    let conversationId = '';
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      content += chunk.choices[0]?.delta.content ?? '';
      if (chunk.choices[0]?.finish_reason) conversationId = idOf(chunk);
    }
    return { conversationId, messages: [...messages, { role: 'assistant', content }] };
  };
  beforeEach(() =>
    service.model.script(say(({ messages }) => `Sobre isso: ${contentOf(messages.at(-1) as Message)}`)),
  );

  it('stays in the conversation whose whole history it carries, which is one service', async () => {
    const system: Message = { role: 'system', content: `Agora são ${Date.now()}.` };
    const first = await ask([system], opening());
    const second = await stream(first.messages, 'E o horário?');
    const cut = second.messages.map(message => ({ ...message, content: `${contentOf(message)} \n` }));
    const third = await ask(cut.slice(1), 'E o preço?');
    const fourth = await ask(third.messages, 'Obrigada');
    const ids = [first, second, third, fourth].map(({ conversationId }) => conversationId);
    expect(new Set(ids)).to.have.property('size', 1);
    const services = await demo.inHost(({ tx }) =>
      runIn(tx, table('messages').where({ conversation_id: ids[0] ?? '', opens_service: true })),
    );
    expect(services).to.have.length(1);
  });

  it('goes on with a conversation of its own while others have the same one, each with every message equal so far', async () => {
    service.model.say('Olá!');
    const question = opening();
    const begun = await Promise.all([ask, stream, ask, stream].map(async each => each([], question)));
    const later = await Promise.all(
      begun.map(async ({ messages }, at) => ask(messages, `Qual é o preço de ${at}?`)),
    );
    const last = await Promise.all(later.map(async ({ messages }) => ask(messages, 'Obrigada')));
    const idsOf = (said: readonly Said[]) => said.map(({ conversationId }) => conversationId);
    expect(new Set(idsOf(begun))).to.have.property('size', 4);
    expect([idsOf(later).toSorted(), idsOf(last)]).to.deep.equal([idsOf(begun).toSorted(), idsOf(later)]);
  });

  it('begins one where another request goes on with its conversation at the same time, also for a repeated key', async () => {
    const first = await ask([], opening());
    const headers = { 'idempotency-key': randomUUID() };
    const keyed = async () => ask(first.messages, 'E o preço?', client, headers);
    const both = await Promise.all([ask(first.messages, 'E o horário?'), keyed()]);
    const ids = both.map(({ conversationId }) => conversationId);
    expect(new Set(ids)).to.include(first.conversationId).and.to.have.property('size', 2);
    expect((await keyed()).conversationId).to.equal(ids[1]);
    const later = await Promise.all(both.map(async ({ messages }) => ask(messages, 'Obrigada')));
    expect(later.map(({ conversationId }) => conversationId)).to.deep.equal(ids);
  });

  it('stays in it where it asks again before a stream that it broke off has ended', async () => {
    const first = await ask([], opening());
    let noteAsked = () => {};
    const isAsked = new Promise<void>(resolve => (noteAsked = resolve));
    service.model.script(
      sayInPieces(['Das 8h', ' às 21h.'], async at => (at === 1 ? new Promise(noteAsked) : undefined)),
    );
    const messages: Message[] = [...first.messages, { role: 'user', content: 'E o horário?' }];
    const abort = new AbortController();
    const broken = client.chat.completions.create(
      { model, messages, stream: true },
      { signal: abort.signal },
    );
    await isAsked;
    service.model.say('Das 8h às 21h.');
    const again = ask(first.messages, 'E o horário?');
    const waiting = () =>
      service.db('turns').where({ conversation_id: first.conversationId, state: 'waiting' });
    await eventually(waiting, { length: 1 });
    abort.abort();
    await broken.catch(() => undefined);
    expect((await again).conversationId).to.equal(first.conversationId);
  });

  it('stays in it where the same dialogue was held before, and where a stream that began alike broke off', async () => {
    service.model.say('Olá!');
    const question = opening();
    const hold = async () => {
      const first = await ask([], question);
      const second = await ask(first.messages, 'E o horário?');
      const third = await ask(second.messages, 'E o preço?');
      return [first, second, third].map(({ conversationId }) => conversationId);
    };
    const earlier = await hold();
    let end = () => {};
    const isOver = new Promise<void>(resolve => (end = resolve));
    service.model.script(sayInPieces(['Olá!'], async at => (at === 1 ? isOver : undefined)));
    const abort = new AbortController();
    const broken = await client.chat.completions.create(
      { model, messages: [{ role: 'user', content: question }], stream: true },
      { signal: abort.signal },
    );
    let text = '';
    for await (const { choices } of broken) {
      text += choices[0]?.delta.content ?? '';
      if (text === 'Olá!') abort.abort();
    }
    end();
    service.model.say('Olá!');
    const [id, ...others] = await hold();
    expect([id, ...others]).to.deep.equal([id, id, id]);
    expect(earlier).to.not.include(id);
  });

  it('is answered alone there, also where a call of the conversation answers what was asked before it', async () => {
    const first = await ask([], opening());
    let end = () => {};
    const isOver = new Promise<void>(resolve => (end = resolve));
    service.model.script(sayInPieces(['Das 8h', ' às 21h.'], async () => isOver));
    const second = stream(first.messages, 'E o horário?');
    const { conversationId } = first;
    const turns = () => service.db('turns').where({ conversation_id: conversationId }).orderBy('arrived_at');
    await eventually(async () => (await turns().pluck('state')).at(-1), 'running');
    const other = service.ask('De outro lugar', { conversationId, reasoningConfig: { burst: 'last' } });
    await eventually(async () => (await turns()).length, 3);
    expect(await turns().pluck('superseded_by')).to.deep.equal([null, null, null]);
    end();
    expect((await second).messages.at(-1)?.content).to.equal('Das 8h às 21h.');
    await other;
  });

  it('passes over tools and empty answers, and reads letters and their accents composed', async () => {
    const first = await ask([], `${opening()} é não`);
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const between: Message[] = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'Feito.' },
      { role: 'assistant', content: '' },
    ];
    const composed = (message: Message) => ({ ...message, content: contentOf(message).normalize('NFD') });
    const apart = first.messages.map(message => composed(message) as Message);
    const second = await ask([...apart, ...between], 'E o horário?');
    const calling: Message = { role: 'assistant', content: 'Vou ver.', tool_calls: [call] };
    const third = await ask([...second.messages, calling], 'E o preço?');
    // The client keeps a question that nobody answered.
    const fourth = await ask([...third.messages, { role: 'user', content: 'Alô?' }], 'Obrigada');
    const fifth = await ask(fourth.messages, 'Tchau');
    const ids = [first, second, third, fourth, fifth].map(({ conversationId }) => conversationId);
    expect(new Set(ids)).to.have.property('size', 1);
  });

  it('stays in it after a turn in which the assistant was silent', async () => {
    const first = await ask([], opening());
    const conversation = () => service.db('conversations').where({ id: first.conversationId });
    await conversation().update({ attended: true, ask_human_help: true });
    const silent = await ask(first.messages, 'Alguém aí?');
    await conversation().update({ attended: false, ask_human_help: false });
    const third = await ask(silent.messages, 'E o horário?');
    const ids = [silent, third].map(({ conversationId }) => conversationId);
    expect(ids).to.deep.equal(Array(2).fill(first.conversationId));
  });

  it('begins one after a day without a message', async () => {
    const [active, idle] = [await ask([], opening()), await ask([], opening())];
    const spoke = (id: string, hoursAgo: number) => {
      const last_message_at = service.db.raw(`now() - interval '${hoursAgo} hours'`);
      return service.db('conversations').where({ id }).update({ last_message_at });
    };
    await spoke(active.conversationId, 23);
    await spoke(idle.conversationId, 25);
    const later = [await ask(active.messages, 'E o horário?'), await ask(idle.messages, 'E o horário?')];
    expect(later[0]?.conversationId).to.equal(active.conversationId);
    expect(later[1]?.conversationId).to.not.equal(idle.conversationId);
  });

  it('begins one where its history was changed, belongs to another token or avatar, or is not the whole', async () => {
    const first = await ask([], opening());
    const edited = first.messages.with(1, { role: 'assistant', content: 'Outra resposta' });
    const other = clientOf(await service.makeToken({ hostIds: [demo.hostId] }));
    await demo.inHost(scope => insertAvatar(scope, { sub_slug: 'loja', avatar_name: 'Loja' }));
    const second = await ask(first.messages, 'E o horário?');
    const messages: Message[] = [...second.messages, { role: 'user', content: 'E o preço?' }];
    const ofAnother = await client.chat.completions.create({ model: 'loja', messages });
    const own = [
      await ask(edited, 'E o horário?'),
      await ask(second.messages, 'E o preço?', other),
      // The answer is asked for again.
      await ask(first.messages, 'E o horário?'),
      await ask(second.messages.slice(2), 'E o preço?'),
    ];
    const ids = [first, ...own].map(({ conversationId }) => conversationId);
    expect(new Set([...ids, idOf(ofAnother)])).to.have.property('size', 6);
    expect(second.conversationId).to.equal(first.conversationId);
    await service.ask('De outro lugar', { conversationId: first.conversationId });
    expect((await ask(second.messages, 'E o preço?')).conversationId).to.not.equal(first.conversationId);
  });

  it('stays in it after a question without an answer, and where it repeats its key', async () => {
    const first = await ask([], opening());
    service.model.script(fail(400));
    const failed = await ask(first.messages, 'E o horário?').catch(() => undefined);
    expect(failed).to.equal(undefined);
    service.model.say('Das 8h às 21h.');
    const messages: Message[] = [...first.messages, { role: 'user', content: 'E o horário?' }];
    const headers = { 'idempotency-key': randomUUID() };
    const keyed = async () => idOf(await client.chat.completions.create({ model, messages }, { headers }));
    expect([await keyed(), await keyed()]).to.deep.equal([first.conversationId, first.conversationId]);
  });

  it('stays in it where the stream took a text back', async () => {
    const first = await ask([], opening());
    const { script, noteRead } = sayVoid('Vou ver.', ['Vou chamar ', 'alguém.\n\nAté já.']);
    service.model.script(script);
    const messages: Message[] = [...first.messages, { role: 'user', content: 'Quero uma pessoa' }];
    let content = '';
    for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true })) {
      content += choices[0]?.delta.content ?? '';
      if (content === 'Vou ver.') noteRead();
    }
    expect(content).to.equal('Vou ver.\n\nVou chamar alguém.\n\nAté já.');
    service.model.say('Já vem.');
    const next = await ask([...messages, { role: 'assistant', content }], 'Demora?');
    expect(next.conversationId).to.equal(first.conversationId);
  });
});
