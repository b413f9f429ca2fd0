import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type OpenAI from 'openai';
import { eventually } from '../support/eventually.ts';
import {
  type Answer,
  type Asked,
  conversationOf,
  endOf,
  errorOf,
  openResponses,
} from '../support/responses-client.ts';
import { sayInPieces } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

type RequiredIn<T> = { [K in keyof T as undefined extends T[K] ? never : K]: true };

/** The compiler names what the package requires; `output_text` is made by the package itself. */
const required: RequiredIn<Answer> = {
  id: true,
  created_at: true,
  output_text: true,
  error: true,
  incomplete_details: true,
  instructions: true,
  metadata: true,
  model: true,
  object: true,
  output: true,
  parallel_tool_calls: true,
  temperature: true,
  tool_choice: true,
  tools: true,
  top_p: true,
};
type Usage = OpenAI.Responses.ResponseUsage;
const requiredOfInput: RequiredIn<Usage['input_tokens_details']> = {
  cached_tokens: true,
  cache_write_tokens: true,
};
const requiredOfOutput: RequiredIn<Usage['output_tokens_details']> = { reasoning_tokens: true };

describe('a response in the form of OpenAI', () => {
  const service = openService();
  const { demo, acme } = service;
  const model = 'principal';
  const { client, ask, stream } = openResponses(service, model);
  beforeEach(() => service.model.say('Das 8h às 21h.'));

  const settings = {
    instructions: 'Seja breve.',
    max_output_tokens: 16,
    metadata: { pedido: 'a'.repeat(512), ['k'.repeat(64)]: '' },
    parallel_tool_calls: false,
    reasoning: { effort: 'low', summary: null },
    temperature: 0.2,
    text: { format: { type: 'text' }, verbosity: 'low' },
    tool_choice: 'none',
    top_p: 0.5,
    truncation: 'auto',
    user: 'ana',
  } as const;
  const unset = {
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    temperature: null,
    text: { format: { type: 'text' }, verbosity: null },
    tool_choice: 'auto',
    top_p: null,
    truncation: 'disabled',
    user: null,
  };
  const always = { background: false, error: null, incomplete_details: null, store: true, tools: [] };

  it('gets every field that its package requires, with what it set, in each event that has a response', async () => {
    const asked: [Asked, object][] = [
      [settings, settings],
      [{}, unset],
      [{ metadata: null, reasoning: null, temperature: null, tool_choice: 'auto', truncation: null }, unset],
    ];
    for (const [more, echoed] of asked) {
      const whole = await ask('Oi', more);
      const named = (await stream('Oi', more)).flatMap(event =>
        'response' in event ? [event.response] : [],
      );
      expect(named.map(({ status }) => status)).to.deep.equal(['in_progress', 'in_progress', 'completed']);
      for (const answer of [whole, ...named]) {
        expect(answer).to.deep.include({ ...always, ...echoed });
        expect({ ...answer, output_text: '' }).to.include.keys(Object.keys(required));
      }
      expect(whole.usage?.input_tokens_details).to.have.all.keys(Object.keys(requiredOfInput));
      expect(whole.usage?.output_tokens_details).to.have.all.keys(Object.keys(requiredOfOutput));
    }
  });

  it('reads an answer again by its id, without its settings', async () => {
    const first = await ask('Qual é o horário?', settings);
    const second = endOf(await stream('E domingo?', { previous_response_id: first.id, ...settings }));
    const { parley: _first, ...kept } = first as Answer & { parley: unknown };
    const { parley: _second, ...keptAfter } = second as Answer & { parley: unknown };
    expect(await client.responses.retrieve(first.id)).to.deep.equal({ ...kept, ...unset });
    const { output_text: text, ...again } = await client.responses.retrieve(second.id);
    expect(text).to.equal('Das 8h às 21h.');
    expect(again).to.deep.equal({ ...keptAfter, ...unset, previous_response_id: first.id });
    const both = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    const ofSeveral = await client.withOptions({ apiKey: both }).responses.retrieve(first.id);
    expect(ofSeveral).to.include({ id: first.id, model: `${demo.slug}/${model}` });
  });

  it('gets one id under one key, however often it asks', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const again = () => client.responses.create({ model, input: 'Oi', user: 'ana' }, { headers });
    expect((await again()).id).to.equal((await again()).id);
  });

  it('reads of an answer that is not there yet, or never was, how it stands', async () => {
    const begin = async (work: (id: string) => Promise<unknown>) => {
      let id = '';
      for await (const event of await client.responses.create({ model, input: 'Oi', stream: true })) {
        if (event.type === 'response.created') id = event.response.id;
        if (event.type === 'response.output_text.delta') await work(id);
      }
      return id;
    };
    let noteRead = () => {};
    const isRead = new Promise<void>(resolve => (noteRead = resolve));
    service.model.script(sayInPieces(['Das ', '8h.'], async at => (at === 1 ? isRead : undefined)));
    let running: Answer | undefined;
    const id = await begin(async begun => {
      running ??= await client.responses.retrieve(begun);
      noteRead();
    });
    expect(running).to.deep.include({ id, status: 'in_progress', output: [], usage: null, error: null });
    expect(await client.responses.retrieve(id)).to.include({ status: 'completed', output_text: 'Das 8h.' });

    const begun: string[] = [];
    service.model.script(
      sayInPieces(['Das ', '8h.'], async at => (at === 1 ? new Promise(() => {}) : undefined)),
    );
    for await (const event of await client.responses.create({ model, input: 'Oi', stream: true })) {
      if (event.type === 'response.created') begun.push(event.response.id);
      if (event.type === 'response.output_text.delta') break;
    }
    const stopped = await eventually(
      () => client.responses.retrieve(begun[0] ?? ''),
      ({ status }) => status !== 'in_progress',
    );
    expect(stopped).to.deep.include({ status: 'cancelled', output: [], error: null });
  });

  it('finds by an id no answer that is not one of its hosts, or is gone', async () => {
    const { id, ...answer } = await ask('Oi');
    const elsewhere = client.withOptions({ apiKey: acme.token }).responses;
    const foreign = await errorOf(elsewhere.retrieve(id));
    const unknown = [
      'resp_1',
      `resp_${'a'.repeat(48)}`,
      `${id.slice(0, -1)}g`,
      id.replace('resp', 'msg'),
      '%',
      "'",
    ];
    const notFound = { status: 404, code: 'answer-not-found', type: 'invalid_request_error', param: null };
    for (const other of unknown)
      expect(await errorOf(client.responses.retrieve(other)), other).to.include(notFound);
    expect(foreign).to.include(notFound);
    expect(foreign?.message).to.equal((await errorOf(elsewhere.retrieve('resp_1')))?.message);
    const searching = await service.makeToken({ hostIds: [demo.hostId], scopes: ['search'] });
    const unentitled = client.withOptions({ apiKey: searching }).responses.retrieve(id);
    expect(await errorOf(unentitled)).to.include({ status: 403 });
    const erased = { id: conversationOf(answer), host_id: demo.hostId };
    await service.db('turns').where({ conversation_id: erased.id }).update({ receipt: null });
    expect(await errorOf(client.responses.retrieve(id)), 'emptied').to.include(notFound);
    await service.db('conversations').where(erased).delete();
    expect(await errorOf(client.responses.retrieve(id))).to.include(notFound);
    expect(await errorOf(ask('Oi', { previous_response_id: id }))).to.include({ status: 404 });
  });

  it('is told that a stored answer is neither streamed again nor erased alone', async () => {
    const { id } = await ask('Oi');
    const again = await errorOf(client.responses.retrieve(id, { stream: true }).then(() => undefined));
    expect(again).to.include({ status: 400, param: 'stream' });
    const erased = await errorOf(client.responses.delete(id));
    expect(erased).to.include({ status: 405, code: 'method-not-allowed' });
    expect(erased?.message).to.include('npm run erase');
    expect(await client.responses.retrieve(id, { include: ['message.output_text.logprobs'] })).to.include({
      id,
    });
  });
});
