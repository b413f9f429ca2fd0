import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import OpenAI from 'openai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { openOnce } from '../support/opened.ts';
import { fail, hold, sayInPieces, sayVoid } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { runIn, table } from '../support/statements.ts';

type Message = OpenAI.ChatCompletionMessageParam;
interface Parley {
  parley: { conversationId: string; turnId: string; wppParsed: unknown[]; askHumanHelp: boolean };
}

describe('a client of OpenAI', () => {
  const service = openService();
  const { demo, acme } = service;
  const client = openOnce(() => clientOf(demo.token));
  let model: string;
  const clientOf = (apiKey: string) =>
    new OpenAI({ baseURL: `${service.baseURL}/v1`, apiKey, maxRetries: 0, logLevel: 'off' });
  const user = (content: string): Message => ({ role: 'user', content });
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
    );
  const parleyOf = (completion: object) => (completion as Parley).parley;
  before(async () => {
    model = (await client.models.list()).data[0]?.id ?? '';
  });
  beforeEach(() => service.model.say('Das 8h às 21h.'));

  it('lists the avatars of its hosts as models', async () => {
    const own = (await client.models.list()).data;
    expect(own.length).to.be.at.least(1);
    for (const listed of own) {
      expect(listed).to.include({ object: 'model', owned_by: demo.slug });
      expect(listed.id).to.match(/^[a-z0-9-]+$/);
      expect(listed.created).to.be.above(1_700_000_000);
    }
    const both = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    const ids = (await clientOf(both).models.list()).data.map(({ id }) => id);
    expect(ids).to.include(`${demo.slug}/${model}`);
    expect(ids.some(id => id.startsWith(`${acme.slug}/`))).to.equal(true);
  });

  it('reads one model by its id, and none that is not its own', async () => {
    expect(await client.models.retrieve(model)).to.include({ id: model, owned_by: demo.slug });
    const both = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    const id = `${demo.slug}/${model}`;
    expect(await clientOf(both).models.retrieve(id)).to.include({ id });
    const unknown = await errorOf(client.models.retrieve('outro'));
    expect(unknown).to.include({ status: 404, code: 'avatar-not-found' });
  });

  it('may carry a history that another model made with tools and parts of its own', async () => {
    const history = [
      user('Quantos livros?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '6' },
      { role: 'function', name: 'f', content: '6' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'Não posso.' }] },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: 'torto' },
          { type: 'input_text', text: 'Outra?' },
        ],
      },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Seis.', annotations: [] }] },
      user('E professores?'),
    ] as Message[];
    await client.chat.completions.create({ model, messages: history });
    const said = JSON.stringify(service.model.requests.at(-1)?.messages);
    for (const part of ['Não posso.', 'Outra?', 'Seis.', 'E professores?']) expect(said).to.include(part);
    const odd = [{ role: 'user', content: [{ type: 'video', text: 'a' }] }] as unknown as Message[];
    expect(await errorOf(client.chat.completions.create({ model, messages: odd }))).to.include({
      status: 400,
      param: 'messages[0].content[0].type',
    });
  });

  it('is told that an assistant has its own tools, and which calls there are', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'f', parameters: {} } }];
    const refused = await errorOf(client.chat.completions.create({ model, tools, messages: [user('Oi')] }));
    expect(refused).to.include({ status: 400, param: 'tools' });
    expect(refused?.message).to.include('an assistant has its own tools');
    const missing = await errorOf(client.embeddings.create({ model, input: 'Oi' }));
    expect(missing).to.include({ status: 404 });
    expect(missing?.message).to.include('/v1/chat/completions, /v1/responses');
  });

  it('gets the answer of an avatar, which knows the messages', async () => {
    const completion = await client.chat.completions.create({
      model,
      temperature: 0.2,
      messages: [
        { role: 'system', content: 'Responda em uma frase.' },
        user('Bom dia'),
        { role: 'assistant', content: 'Bom dia! Como posso ajudar?' },
        { role: 'user', content: [{ type: 'text', text: 'Qual é o horário?' }] },
      ],
    });
    expect(completion).to.include({ object: 'chat.completion', model });
    expect(completion.choices[0]).to.deep.include({ index: 0, finish_reason: 'stop' });
    expect(completion.choices[0]?.message).to.include({ role: 'assistant', content: 'Das 8h às 21h.' });
    expect(completion.usage).to.deep.equal({ prompt_tokens: 41, completion_tokens: 1, total_tokens: 42 });
    const parley = parleyOf(completion);
    expect(parley.wppParsed).to.deep.equal([{ type: 'text', content: 'Das 8h às 21h.' }]);
    expect(parley.askHumanHelp).to.equal(false);
    expect(await listMessageTexts(service.db, parley.conversationId)).to.deep.equal([
      'user: Qual é o horário?',
      'assistant: Das 8h às 21h.',
    ]);
    const sent =
      service.model.requests.at(-1)?.messages.map(({ role, content }) => `${role}: ${content}`) ?? [];
    expect(sent.join('\n'))
      .to.contain('Responda em uma frase.')
      .and.contain('assistant: Bom dia! Como posso ajudar?');
    expect(sent.at(-1)).to.contain('Qual é o horário?');
  });

  const history = (last: string): Message[] => [
    user('Oi, sou a Ana'),
    { role: 'assistant', content: 'Oi!' },
    user(last),
  ];

  it('stays in one conversation while its user sends the history again, and only then', async () => {
    const ask = async (messages: Message[], more: object = {}, headers: Record<string, string> = {}) =>
      parleyOf(await client.chat.completions.create({ model, messages, ...more }, { headers }))
        .conversationId;
    const ana = { user: 'ana' };
    const first = await ask([user('Oi, sou a Ana')], ana);
    expect(await ask(history('E o horário?'), ana)).to.equal(first);
    expect(await ask([user('Oi, sou o Beto')], ana)).to.not.equal(first);
    expect(await ask([user('Oi, sou a Ana')], { user: 'outra' })).to.not.equal(first);
    const conversation_id = await service.newConversation();
    expect(await ask([user('Oi, sou a Ana')], { metadata: { conversation_id } })).to.equal(conversation_id);
    const unnamed = [{}, {}, { user: '' }, { user: ' ' }];
    const alone = [
      ...(await Promise.all(unnamed.map(more => ask([user('Oi, sou a Ana')], more)))),
      ...(await Promise.all(unnamed.map(more => ask(history('E o horário?'), more)))),
    ];
    expect(new Set([first, conversation_id, ...alone])).to.have.property('size', alone.length + 2);
    const key = { 'idempotency-key': randomUUID() };
    expect(await ask(history('De novo'), {}, key)).to.equal(await ask(history('De novo'), {}, key));
  });

  it('reads in place of a mask only what stands in its own messages', async () => {
    await setHost(service.db, demo.slug, { mask: true });
    const metadata = { conversation_id: await service.newConversation() };
    for (const more of [{}, { user: 'recepção' }, { metadata }]) {
      const ask = async (last: string) =>
        (await client.chat.completions.create({ model, messages: history(last), ...more })).choices[0]
          ?.message.content;
      service.model.say('Anotei: [CPF_1].');
      expect(await ask('Meu CPF é 529.982.247-25')).to.equal('Anotei: 529.982.247-25.');
      expect(await ask('Qual é o CPF?'), JSON.stringify(more)).to.equal('Anotei: [CPF_1].');
      expect(await ask('Meu CPF é 111.444.777-35')).to.equal('Anotei: 111.444.777-35.');
      expect(await ask('Qual é o CPF?')).to.equal('Anotei: [CPF_1].');
    }
    await setHost(service.db, demo.slug, { mask: false });
  });

  it('reads the answer while it is generated, with its usage', async () => {
    const held = hold(sayInPieces(['Das 8h ', 'às 21h.']));
    service.model.script(held.script);
    const pending = client.chat.completions.create({
      model,
      messages: [user('Horário?')],
      stream: true,
      stream_options: { include_usage: true },
    });
    await held.held;
    held.release();
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of await pending) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).to.equal('Das 8h às 21h.');
    expect(chunks[0]?.choices[0]?.delta.role).to.equal('assistant');
    expect(chunks.at(-1)?.usage).to.include({ total_tokens: 42 });
    const last = chunks.at(-2);
    expect(last?.choices[0]?.finish_reason).to.equal('stop');
    expect(parleyOf(last ?? {}).conversationId).to.match(/^[0-9a-f-]{36}$/);
    expect(new Set(chunks.map(({ id }) => id)).size).to.equal(1);
    const helper = client.chat.completions.stream({ model, messages: [user('Horário?')] });
    expect(await helper.finalContent()).to.equal('Das 8h às 21h.');
  });

  it('reads the new answer after an empty line, where the first words were void', async () => {
    const { script, noteRead } = sayVoid('Vou ver.', ['Vou chamar ', 'alguém.']);
    service.model.script(script);
    const messages = [user('Quero falar com alguém')];
    let text = '';
    for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true })) {
      text += choices[0]?.delta.content ?? '';
      if (text === 'Vou ver.') noteRead();
    }
    expect(text).to.equal('Vou ver.\n\nVou chamar alguém.');
  });

  it('stops the model when it aborts', async () => {
    let noteClosed = () => {};
    const closed = new Promise<void>(resolve => (noteClosed = resolve));
    const begun = new Promise<void>(resolve =>
      service.model.script((_request, response) => {
        response.once('close', noteClosed);
        resolve();
      }),
    );
    const abort = new AbortController();
    const messages = [user('Horário?')];
    const pending = errorOf(client.chat.completions.create({ model, messages }, { signal: abort.signal }));
    await begun;
    abort.abort();
    expect(await pending).to.be.instanceOf(OpenAI.APIUserAbortError);
    await closed;
  });

  it('gets errors in its own form, which name the field', async () => {
    const ask = (more: object) =>
      errorOf(client.chat.completions.create({ model, messages: [user('Oi')], ...more } as never));
    const cases: [object, number, string | null][] = [
      [{ n: 2 }, 400, 'n'],
      [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 400, 'tools'],
      [{ response_format: { type: 'json_object' } }, 400, 'response_format.type'],
      [{ messages: [] }, 400, 'messages'],
      [{ messages: [user('a'.repeat(16_001))] }, 400, 'messages[0].content'],
      [{ messages: [{ role: 'system', content: 'Oi' }] }, 400, 'messages'],
      [
        { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
        400,
        null,
      ],
      [{ model: 'none' }, 404, null],
      [{ model: `${acme.slug}/${model}` }, 404, null],
      [{ metadata: { conversation_id: randomUUID() } }, 404, null],
    ];
    for (const [more, status, param] of cases) {
      const error = await ask(more);
      expect(error?.status, JSON.stringify(more)).to.equal(status);
      if (param !== null) expect(error?.param).to.equal(param);
      expect(error?.type).to.equal('invalid_request_error');
    }
    service.model.script(fail(400));
    expect((await ask({}))?.status).to.equal(503);
    expect((await ask({ stream: true }))?.status).to.equal(503);
    const unknown = await ask({ model: 'none' });
    expect(unknown).to.include({ code: 'avatar-not-found' });
    expect(unknown?.message).to.include(`Avatar not found: the host has: ${model}`);
    const elsewhere = { metadata: { conversation_id: randomUUID() } };
    expect(await ask(elsewhere)).to.include({ status: 404, code: 'conversation-not-found' });
    expect(await errorOf(clientOf('wrong').models.list())).to.include({ status: 401, code: 'unauthorized' });
    const searching = clientOf(await service.makeToken({ hostIds: [demo.hostId], scopes: ['search'] }));
    expect(await errorOf(searching.models.list())).to.include({ status: 403, type: 'permission_error' });
  });

  it('may ask with as many characters as the plain route, counted alike', async () => {
    const statusesOf = async (question: string) => [
      (await service.ask(question)).status,
      (await service.call('/v1/chat/completions', { model, messages: [user(question)] })).status,
    ];
    expect(await statusesOf('😀'.repeat(16_000))).to.deep.equal([200, 200]);
    expect(await statusesOf('😀'.repeat(16_001))).to.deep.equal([400, 400]);
  });

  it('reaches with one token the avatars of each of its hosts by name, and no other host', async () => {
    await acme.inHost(scope => insertAvatar(scope, { sub_slug: 'loja', avatar_name: 'Loja' }));
    const token = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    const ask = (named: string) =>
      clientOf(token).chat.completions.create({ model: named, messages: [user('Oi')] });
    expect((await ask(`${acme.slug}/loja`)).choices[0]?.message.content).to.equal('Das 8h às 21h.');
    expect((await errorOf(ask('loja')))?.status).to.equal(409);
    expect((await errorOf(ask('unknown/loja')))?.status).to.equal(404);
    const single = clientOf(token);
    const expectOnlyOne = async (which: string) => {
      const [listed] = (await single.models.list()).data;
      const alone = { model: listed?.id ?? '', messages: [user('Oi')] };
      expect(alone.model, which).to.equal(model);
      expect((await single.chat.completions.create(alone)).choices).to.have.length(1);
    };
    await setHost(service.db, acme.slug, { disabled: true });
    await expectOnlyOne('of its only host that is enabled');
    expect((await errorOf(ask(`${acme.slug}/loja`)))?.status).to.equal(403);
    await service.db('token_hosts').where({ host_id: acme.hostId }).delete();
    await expectOnlyOne('of its only host');
    const conversations = await demo.inHost(({ tx }) => runIn(tx, table('conversations')));
    expect(conversations.length).to.be.above(0);
  });
});
