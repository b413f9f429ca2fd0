import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import OpenAI from 'openai';
import { withHost } from '../../db/with-hosts.ts';
import { fail, say, sayInPieces, sayThenCall } from '../support/scripted-model.ts';
import { borrowService, type Service } from '../support/service.ts';

type Message = OpenAI.ChatCompletionMessageParam;
interface Said {
  readonly conversationId: string;
  /** The messages as a client keeps them: with the answer. */
  readonly messages: Message[];
}

describe('a chat request without a user and without a conversation', () => {
  let service: Service;
  let client: OpenAI;
  const clientOf = (apiKey: string) =>
    new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey, maxRetries: 0, logLevel: 'off' });
  const model = 'principal';
  /** No other test began like this. */
  const opening = () => `Oi, ${randomUUID()}`;
  const idOf = (completion: object) =>
    (completion as { parley: { conversationId: string } }).parley.conversationId;
  const contentOf = ({ content }: Message) => (typeof content === 'string' ? content : '');
  const ask = async (before: readonly Message[], question: string, from = client): Promise<Said> => {
    const messages: Message[] = [...before, { role: 'user', content: question }];
    const completion = await from.chat.completions.create({ model, messages });
    const content = completion.choices[0]?.message.content ?? '';
    return {
      conversationId: idOf(completion),
      messages: [...messages, { role: 'assistant', content }],
    };
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
  before(async () => {
    service = await borrowService();
    client = clientOf(service.demo.token);
  });
  beforeEach(() =>
    service.model.script(say(({ messages }) => `Sobre isso: ${contentOf(messages.at(-1) as Message)}`)),
  );
  after(() => service.close());

  it('stays in the conversation whose whole history it carries, which is one service', async () => {
    const system: Message = { role: 'system', content: `Agora são ${Date.now()}.` };
    const first = await ask([system], opening());
    const second = await stream(first.messages, 'E o horário?');
    const cut = second.messages.map(message => ({ ...message, content: `${contentOf(message)} \n` }));
    const third = await ask(cut.slice(1), 'E o preço?');
    const fourth = await ask(third.messages, 'Obrigada');
    const ids = [first, second, third, fourth].map(({ conversationId }) => conversationId);
    expect(new Set(ids)).to.have.property('size', 1);
    const services = await withHost(service.db, service.demo.hostId, ({ tx }) =>
      tx('messages').where({ conversation_id: ids[0], opens_service: true }),
    );
    expect(services).to.have.length(1);
  });

  it('shares none with somebody who began alike', async () => {
    service.model.script(say('Olá!'));
    const question = opening();
    const begun = await Promise.all([ask, stream, ask, stream].map(async each => each([], question)));
    expect(begun[0]?.messages).to.deep.equal(begun[1]?.messages);
    const later = await Promise.all(begun.map(async ({ messages }) => ask(messages, 'Qual é o preço?')));
    const ids = [...begun, ...later].map(({ conversationId }) => conversationId);
    expect(new Set(ids)).to.have.property('size', 8);
  });

  it('shares none with somebody who began alike and went on, when it asks once more', async () => {
    service.model.script(say('Olá!'));
    const question = opening();
    const ana = await ask([], question);
    const goneOn = await ask(ana.messages, 'Quero me matricular');
    expect(goneOn.conversationId).to.equal(ana.conversationId);
    const beto = await ask([], question);
    const again = await ask(ana.messages, 'Quero me matricular');
    expect([ana.conversationId, beto.conversationId]).to.not.include(again.conversationId);
  });

  it('shares none with somebody whose same answer it has read of a stream that broke off', async () => {
    service.model.script(say('Olá!'));
    const question = opening();
    const ana = await ask([], question);
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
    expect(text).to.equal('Olá!');
    service.model.script(say('É 1.200,00.'));
    const beto = await ask(ana.messages, 'Qual é o preço?');
    expect(beto.conversationId).to.not.equal(ana.conversationId);
  });

  it('begins one where its history was changed, belongs to another token or is not the whole', async () => {
    const first = await ask([], opening());
    const edited = first.messages.with(1, { role: 'assistant', content: 'Outra resposta' });
    const other = clientOf(await service.makeToken({ hostIds: [service.demo.hostId] }));
    const second = await ask(first.messages, 'E o horário?');
    const own = [
      await ask(edited, 'E o horário?'),
      await ask(second.messages, 'E o preço?', other),
      // The answer is asked for again.
      await ask(first.messages, 'E o horário?'),
      await ask(second.messages.slice(2), 'E o preço?'),
    ];
    const ids = [first, ...own].map(({ conversationId }) => conversationId);
    expect(new Set(ids)).to.have.property('size', 5);
    expect(second.conversationId).to.equal(first.conversationId);
    await service.ask('De outro lugar', { conversationId: first.conversationId });
    expect((await ask(second.messages, 'E o preço?')).conversationId).to.not.equal(first.conversationId);
  });

  it('stays in it after a question without an answer, and where it repeats its key', async () => {
    const first = await ask([], opening());
    service.model.script(fail(400));
    const failed = await ask(first.messages, 'E o horário?').catch(() => undefined);
    expect(failed).to.equal(undefined);
    service.model.script(say('Das 8h às 21h.'));
    const messages: Message[] = [...first.messages, { role: 'user', content: 'E o horário?' }];
    const headers = { 'idempotency-key': randomUUID() };
    const keyed = async () => idOf(await client.chat.completions.create({ model, messages }, { headers }));
    expect([await keyed(), await keyed()]).to.deep.equal([first.conversationId, first.conversationId]);
  });

  it('stays in it where the stream took a text back', async () => {
    const first = await ask([], opening());
    let noteRead = () => {};
    const isRead = new Promise<void>(resolve => (noteRead = resolve));
    const help = { reason: 'customer_request' };
    service.model.script((request, response) =>
      request.messages.some(({ role }) => role === 'tool')
        ? sayInPieces(['Vou chamar ', 'alguém.\n\nAté já.'])(request, response)
        : sayThenCall('Vou ver.', 'ask_human_help', help, () => isRead)(request, response),
    );
    const messages: Message[] = [...first.messages, { role: 'user', content: 'Quero uma pessoa' }];
    let content = '';
    for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true })) {
      content += choices[0]?.delta.content ?? '';
      if (content === 'Vou ver.') noteRead();
    }
    expect(content).to.equal('Vou ver.\n\nVou chamar alguém.\n\nAté já.');
    service.model.script(say('Já vem.'));
    const next = await ask([...messages, { role: 'assistant', content }], 'Demora?');
    expect(next.conversationId).to.equal(first.conversationId);
  });
});
