import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import OpenAI from 'openai';
import { PNG } from '../support/recordings.ts';
import { type Answer, conversationOf, endOf, errorOf, openResponses } from '../support/responses-client.ts';
import { fail, hold, sayInPieces, sayVoid } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;

describe('a client of OpenAI that asks for responses', () => {
  const service = openService();
  const { acme } = service;
  const model = 'principal';
  const { client, ask, stream, saidIn } = openResponses(service, model);
  const sentToModel = () => JSON.stringify(service.model.requests.at(-1)?.messages);
  beforeEach(() => service.model.say('Das 8h às 21h.'));

  it('gets the answer of an avatar, which knows the instructions', async () => {
    const answer = await ask('Qual é o horário?', { instructions: 'Responda em uma frase.' });
    expect(answer).to.include({
      object: 'response',
      status: 'completed',
      output_text: 'Das 8h às 21h.',
      model,
    });
    expect(answer.usage).to.include({ input_tokens: 41, output_tokens: 1, total_tokens: 42 });
    expect(sentToModel()).to.include('Responda em uma frase.');
    expect(await saidIn(answer)).to.deep.equal(['user: Qual é o horário?', 'assistant: Das 8h às 21h.']);
  });
  it('goes on in the conversation of the response before, which has its own history', async () => {
    const first = await ask('Qual é o horário?');
    const second = await ask('E aos sábados?', { previous_response_id: first.id });
    expect(sentToModel()).to.include('Qual é o horário?');
    const developer = { role: 'developer' as const, content: 'Seja breve.' };
    const third = await ask(
      [developer, { role: 'user', content: 'Uma coisa:' }, { role: 'user', content: 'e domingo?' }],
      { previous_response_id: second.id },
    );
    expect(sentToModel()).to.include('Seja breve.').and.include('E aos sábados?');
    expect([second, third].map(conversationOf)).to.deep.equal(Array(2).fill(conversationOf(first)));
    expect(new Set([first, second, third].map(({ id }) => id))).to.have.property('size', 3);
    expect((await saidIn(first)).filter(text => text.startsWith('user'))).to.deep.equal([
      'user: Qual é o horário?',
      'user: E aos sábados?',
      'user: Uma coisa:\ne domingo?',
    ]);
  });

  it('goes on in a conversation whose id is in capitals, under the id that all others have', async () => {
    const first = await ask('Oi');
    const metadata = { conversation_id: conversationOf(first).toUpperCase() };
    const [begun, ...events] = await stream('E?', { metadata, previous_response_id: first.id });
    expect((begun as { response: Answer }).response.id).to.equal(endOf(events).id);
    expect(conversationOf(endOf(events))).to.equal(conversationOf(first));
  });

  it('goes on in the conversation of an answer that it sends as a reference, as the AI SDK of Vercel does', async () => {
    const question = { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'Horário?' }] };
    const events = await stream([question]);
    const added = events.find(({ type }) => type === 'response.output_item.added');
    const id = (added as { item: { id: string } }).item.id;
    const again = { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'E domingo?' }] };
    const second = await ask([question, { type: 'item_reference', id }, again]);
    expect(await saidIn(second)).to.deep.equal([
      'user: Horário?',
      'assistant: Das 8h às 21h.',
      'user: E domingo?',
      'assistant: Das 8h às 21h.',
    ]);
  });

  it('stays in one conversation where it sends the history itself, of its user and without one', async () => {
    for (const user of [undefined, 'ana']) {
      const more = user === undefined ? {} : { user };
      const asked = { role: 'user' as const, content: `Oi, ${randomUUID()}` };
      const first = await ask([asked], more);
      const history = [asked, ...first.output] as OpenAI.Responses.ResponseInput;
      const second = await ask([...history, { role: 'user', content: 'E o preço?' }], more);
      expect(conversationOf(second), user).to.equal(conversationOf(first));
    }
  });

  it('reads the answer while it is generated, in the events of OpenAI', async () => {
    const held = hold(sayInPieces(['Das 8h ', 'às 21h.']));
    service.model.script(held.script);
    const pending = stream('Horário?');
    await held.held;
    held.release();
    const events = await pending;
    expect(events.map(({ sequence_number: number }) => number)).to.deep.equal([...events.keys()]);
    const names = events.map(({ type }) => type).filter(type => type !== 'response.output_text.delta');
    expect(names).to.deep.equal([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const text = events
      .map(event => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('');
    expect(text).to.equal('Das 8h às 21h.');
    const created = events[0] as { readonly response: Answer };
    expect(endOf(events)).to.include({ id: created.response.id, status: 'completed' });
    const next = await client.responses
      .stream({ model, input: 'E domingo?', previous_response_id: created.response.id })
      .finalResponse();
    expect(next.output_text).to.equal('Das 8h às 21h.');
    expect(conversationOf(next)).to.equal(conversationOf(endOf(events)));
  });

  it('reads the new answer after an empty line, where the first words were void, and last the answer alone', async () => {
    const { script, noteRead } = sayVoid('Vou ver.', ['Vou chamar ', 'alguém.']);
    service.model.script(script);
    let text = '';
    let answer: Answer | undefined;
    for await (const event of client.responses.stream({ model, input: 'Quero falar com alguém' })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (text === 'Vou ver.') noteRead();
      if (event.type === 'response.completed') answer = event.response;
    }
    expect(text).to.equal('Vou ver.\n\nVou chamar alguém.');
    expect(answer?.output[0]).to.have.nested.property('content[0].text', 'Vou chamar alguém.');
  });

  it('is told of a failure after the first words', async () => {
    let noteRead = () => {};
    const isRead = new Promise<void>(resolve => (noteRead = resolve));
    service.model.script((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const choices = [{ index: 0, delta: { content: 'Das ' }, finish_reason: null }];
      response.write(`data: ${JSON.stringify({ id: 'c', model: 'scripted', choices })}\n\n`);
      service.model.script(fail(400));
      void isRead.then(() => response.destroy());
    });
    let id = '';
    const reading = (async () => {
      for await (const event of await client.responses.create({ model, input: 'Oi', stream: true })) {
        if (event.type === 'response.created') id = event.response.id;
        if (event.type === 'response.output_text.delta') noteRead();
      }
    })();
    expect(await errorOf(reading)).to.be.instanceOf(OpenAI.APIError);
    const failed = await client.responses.retrieve(id);
    expect(failed).to.deep.include({ id, status: 'failed', output: [], usage: null });
    expect(failed.error).to.deep.equal({
      code: 'server_error',
      message: 'The turn ended with the status 503',
    });
  });

  it('is refused as a chat is, by the names of its own fields', async () => {
    const part = (given: object) => [{ role: 'user', content: [{ type: 'input_text', text: 'E?' }, given] }];
    const picture = (image_url: string) => part({ type: 'input_image', image_url });
    const cases: [object, number, string | null][] = [
      [{ input: [] }, 400, 'input'],
      [{ input: ' ' }, 400, 'input'],
      [{ input: 'a'.repeat(16_001) }, 400, 'input'],
      [{ input: [{ role: 'user', content: 'a'.repeat(16_001) }] }, 400, 'input[0].content'],
      [{ input: [{ role: 'system', content: 'Oi' }] }, 400, 'input'],
      [{ input: part({ type: 'input_video' }) }, 400, 'input[0].content[1].type'],
      [{ input: part({ type: 'input_text' }) }, 400, 'input[0].content[1].text'],
      [{ input: part({ type: 'input_image', file_id: 'file-1' }) }, 400, 'input[0].content[1].image_url'],
      [{ input: part({ type: 'input_file', file_id: 'file-1' }) }, 400, 'input[0].content[1].file_data'],
      [{ input: picture(`https://e.example/${'a'.repeat(2_000)}`) }, 400, 'input[0].content[1].image_url'],
      [{ input: picture('data:image/png;base64,R0lG') }, 400, 'input[0].content[1]'],
      [{ tools: [{ type: 'web_search' }] }, 400, 'tools'],
      [{ text: { format: { type: 'json_object' } } }, 400, 'text.format.type'],
      [{ background: true }, 400, 'background'],
      [{ conversation: 'conv_1' }, 400, 'conversation'],
      [{ conversation: { id: 'conv_1' } }, 400, 'conversation'],
      [{ prompt: { id: 'pmpt_1' } }, 400, 'prompt'],
      [{ max_output_tokens: 15 }, 400, 'max_output_tokens'],
      [{ temperature: 2.1 }, 400, 'temperature'],
      [{ tool_choice: 'required' }, 400, 'tool_choice'],
      [{ tool_choice: { type: 'function', name: 'f' } }, 400, 'tool_choice'],
      [{ truncation: 'some' }, 400, 'truncation'],
      [{ metadata: 'a' }, 400, 'metadata'],
      [{ metadata: Object.fromEntries([...Array(17).keys()].map(at => [at, ''])) }, 400, 'metadata'],
      [{ metadata: { ['k'.repeat(65)]: '' } }, 400, 'metadata'],
      [{ metadata: { pedido: 'a'.repeat(513) } }, 400, 'metadata.pedido'],
      [{ metadata: { pedido: 1 } }, 400, 'metadata.pedido'],
      [{ metadata: { pedido: null } }, 400, 'metadata.pedido'],
      [{ metadata: { conversation_id: 'a' } }, 400, 'metadata.conversation_id'],
      [{ input: [{ type: 'function_call_output', call_id: 'c', output: '6' }] }, 400, 'input'],
      [
        {
          input: [
            { role: 'user', content: 'Oi' },
            { type: 'item_reference', id: 'rs_1' },
          ],
        },
        400,
        'input[1].id',
      ],
      [{ previous_response_id: 'resp_1' }, 400, 'previous_response_id'],
      [{ previous_response_id: `resp_${'a'.repeat(48)}` }, 404, null],
      [{ model: 'none' }, 404, null],
      [{ model: `${acme.slug}/${model}` }, 404, null],
    ];
    for (const [more, status, param] of cases) {
      const error = await errorOf(client.responses.create({ model, input: 'Oi', ...more } as Params));
      expect([error?.status, error?.param ?? null], JSON.stringify(more).slice(0, 200)).to.deep.equal([
        status,
        param,
      ]);
      expect(error?.type).to.equal('invalid_request_error');
    }
    const odd = part({ type: 'input_video' }) as unknown as OpenAI.Responses.ResponseInput;
    expect((await errorOf(ask(odd)))?.message).to.include('input_text, input_image, input_audio, input_file');
    service.model.script(fail(400));
    expect(await errorOf(ask('Oi'))).to.include({ status: 503 });
    expect(await errorOf(stream('Oi'))).to.include({ status: 503 });
  });

  it('reaches no conversation of another host by the id of a response', async () => {
    const { id } = await ask('Oi');
    const other = client.withOptions({ apiKey: acme.token });
    const asked = other.responses.create({ model: 'principal', input: 'Oi', previous_response_id: id });
    expect(await errorOf(asked)).to.include({ status: 404 });
  });

  it('may send a file, and a picture by its bytes', async () => {
    const file_data = `data:text/plain;base64,${Buffer.from('A taxa é de R$ 137,50.').toString('base64')}`;
    const file = { type: 'input_file' as const, file_data, filename: 'edital.txt' };
    const asked = { type: 'input_text' as const, text: 'Qual é a taxa?' };
    const answer = await ask([{ role: 'user', content: [asked, file] }]);
    expect(sentToModel()).to.include('R$ 137,50');
    expect((await saidIn(answer))[0]).to.equal('user: Qual é a taxa?\n[arquivo: edital.txt]');
    const image_url = `data:image/png;base64,${PNG.toString('base64')}`;
    const picture = { type: 'input_image' as const, image_url, detail: 'auto' as const };
    const shown = await errorOf(ask([{ role: 'user', content: [picture] }]));
    // The models of this service see none.
    expect(shown).to.include({ status: 400, param: 'input[0].content[0]' });
  });
});
