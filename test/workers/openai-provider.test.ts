import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import type { ToolCall } from '../../workers/model/provider.ts';
import { openOnce } from '../support/opened.ts';
import { fail, type ModelScript, startScriptedModel } from '../support/scripted-model.ts';

describe('a provider with the protocol of OpenAI', () => {
  const scripted = openOnce(startScriptedModel);

  const messages = [{ role: 'user', content: 'Segredo?' }] as const;
  const request = { model: 'm', messages, maxTokens: undefined };
  const options = {
    purpose: 'turn',
    signal: new AbortController().signal,
    progress: { onPiece() {}, onPart() {}, onFinish() {}, onUsage() {} },
  } as const;
  const provider = () => makeOpenAiProvider('main', { baseURL: scripted.baseURL });
  const ask = (script: ModelScript) => {
    scripted.script(script);
    return provider().complete(request, { ...options, signal: new AbortController().signal });
  };
  const call = (id: unknown, name: string) => ({ id, function: { name, arguments: '{}' } });
  const callsOf = async (calls: readonly unknown[]): Promise<readonly ToolCall[]> => {
    const body = JSON.stringify({ choices: [{ message: { content: 'Ufa.', tool_calls: calls } }] });
    return (await ask((_request, response) => void response.end(body))).toolCalls;
  };

  it('answers also behind a redirect, and packed though nobody asked for that', async () => {
    const answer = JSON.stringify({ choices: [{ message: { content: 'Às 8h.' } }] });
    for (const [encoding, body] of [
      ['gzip', gzipSync(answer)],
      ['br', brotliCompressSync(answer)],
    ] as const) {
      let isMoved = false;
      const { text } = await ask((_request, response) => {
        const [status, headers] = isMoved
          ? [200, { 'content-type': 'application/json', 'content-encoding': encoding }]
          : [307, { location: `${scripted.baseURL}/chat/completions` }];
        response.writeHead(status, headers).end(isMoved ? body : '');
        isMoved = true;
      });
      expect(text, encoding).to.equal('Às 8h.');
    }
  });

  it('has no more than 64 calls in an answer, the first ones', async () => {
    const calls = await callsOf(Array.from({ length: 10_000 }, (_, at) => call(`id_${at}`, 'ficha')));
    expect(calls.map(({ id }) => id)).to.deep.equal(Array.from({ length: 64 }, (_, at) => `id_${at}`));
  });

  it('has calls with another id where theirs is longer than 200 characters', async () => {
    const calls = await callsOf([call('a'.repeat(200), 'ficha'), call('b'.repeat(201), 'ficha')]);
    expect(calls.map(({ id }) => id)).to.deep.equal(['a'.repeat(200), 'call_1']);
  });

  it('has the arguments that a call was given as an object, and none that cannot be read as none', async () => {
    const argumentsOf = async (args: string) => {
      const body = `{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"f"${args}}}]}}]}`;
      return (await ask((_request, response) => void response.end(body))).toolCalls[0]?.arguments;
    };
    expect(await argumentsOf(',"arguments":{"q":"x"}')).to.equal('{"q":"x"}');
    expect(await argumentsOf(',"arguments":["x"]')).to.equal('["x"]');
    expect(await argumentsOf(',"arguments":false')).to.equal('false');
    expect(await argumentsOf(`,"arguments":${'['.repeat(50_000)}${']'.repeat(50_000)}`)).to.equal(
      'unreadable',
    );
    for (const none of ['', ',"arguments":null', ',"arguments":""'])
      expect(await argumentsOf(none)).to.equal('{}');
  });

  const part = (args: unknown, { name, ...place }: { name?: string; id?: string; index?: number } = {}) => ({
    ...place,
    function: { ...(name === undefined ? {} : { name }), arguments: args },
  });
  const [begun, ended] = ['{"q":"dir', 'eito"}'];
  const [a, b] = [
    { id: 'a', name: 'f' },
    { id: 'b', name: 'f' },
  ];
  const direito = '{"q":"direito"}';
  // biome-ignore format: a table
  const STREAMS: readonly (readonly [string, chunks: readonly (readonly object[])[], calls: string[]])[] = [
    ['with an index',
      [[part('', { ...a, index: 0 })], [part(begun, { index: 0 })], [part(ended, { index: 0 })]],
      [`f ${direito}`]],
    ['without an index', [[part('', a)], [part(begun)], [part(ended)]], [`f ${direito}`]],
    ['without an index, one after the other',
      [[part(begun, a)], [part(ended)], [part('', b)], [part('{"q":1}')]], [`f ${direito}`, 'f {"q":1}']],
    ['without an index, in one chunk', [[part('{"q":1}', a), part('{"q":2}', b)]],
      ['f {"q":1}', 'f {"q":2}']],
    ['without an index or ids', [[part('{"q":1}', { name: 'f' })], [part('{"q":2}', { name: 'f' })]],
      ['f {"q":1}', 'f {"q":2}']],
    ['in turns, by their ids', [[part('', a)], [part('', { id: 'b', name: 'g' })],
      [part('{"q":1}', { id: 'a' })], [part('{"q":2}', { id: 'b' })]], ['f {"q":1}', 'g {"q":2}']],
    ['with the name in each chunk', [[part(begun, { ...a, index: 0 })], [part(ended, { ...a, index: 0 })]],
      [`f ${direito}`]],
    ['with the name in each chunk, without an id', [[part('', { name: 'f' })], [part(begun, { name: 'f' })],
      [part(ended, { name: 'f' })], [part('', { name: 'f' })]], [`f ${direito}`]],
    ['with another id in each chunk', [[part('', { ...a, index: 0 })], [part(begun, { ...b, index: 0 })],
      [part(ended, { id: 'c', name: 'f', index: 0 })]], [`f ${direito}`]],
    ['with another index in each chunk',
      [[part('', { ...a, index: 0 })], [part(begun, { index: 1 })], [part(ended, { index: 2 })]],
      [`f ${direito}`]],
    ['under one index', [[part('{"q":1}', { ...a, index: 0 })], [part('{"q":2}', { ...b, index: 0 })]],
      ['f {"q":1}', 'f {"q":2}']],
    ['under one index, in parts', [[part('{"q":1}', { ...a, index: 0 })], [part('', { ...b, index: 0 })],
      [part(begun, { index: 0 })], [part(ended, { index: 0 })]], ['f {"q":1}', `f ${direito}`]],
    ['with an object', [[part({ q: 1 }, a)], [part({ q: 2 }, b)]], ['f {"q":1}', 'f {"q":2}']],
    ['with a name in parts',
      [[part('', { id: 'a', name: 'con', index: 0 })], [part('{}', { name: 'sulta', index: 0 })]],
      ['consulta {}']],
    ['of nothing', [[{}], [part(null)]], [' {}']],
  ];
  for (const [title, chunks, expected] of STREAMS)
    it(`has the calls that come in chunks ${title}`, async () => {
      scripted.script((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const tool_calls of chunks)
          response.write(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls } }] })}\n\n`);
        response.end('data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n');
      });
      const { signal } = new AbortController();
      const { toolCalls } = await provider().stream(request, { ...options, signal }, () => {});
      expect(toolCalls.map(({ name, arguments: args }) => `${name} ${args}`)).to.deep.equal(expected);
    });

  it('has no calls with a name that is longer than 200 characters', async () => {
    const calls = await callsOf([call('1', 'a'.repeat(400_000)), call('2', 'a'.repeat(200))]);
    expect(calls.map(({ id }) => id)).to.deep.equal(['2']);
  });

  it('has no name of a model that is longer than 200 characters, in pieces or whole', async () => {
    const modelOf = async (model: unknown) => {
      const choices = [{ message: { content: 'Oi.' }, finish_reason: 'stop' }];
      const body = JSON.stringify({ model, choices });
      const events = body.replace('"message"', '"delta"');
      const { model: whole } = await ask((_request, response) => void response.end(body));
      scripted.script((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: ${events}\n\ndata: [DONE]\n\n`);
      });
      const { model: streamed } = await provider().stream(request, options, () => {});
      return [whole, streamed];
    };
    expect(await modelOf('m'.repeat(200))).to.deep.equal(['m'.repeat(200), 'm'.repeat(200)]);
    expect(await modelOf('m'.repeat(201))).to.deep.equal(['', '']);
  });

  it('has the text of an answer in parts without its thoughts, and that of a refusal', async () => {
    const textOf = async (message: object) => {
      const body = JSON.stringify({ choices: [{ message }] });
      return (await ask((_request, response) => void response.end(body))).text;
    };
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hum.' }] },
      { type: 'text', text: 'Às 8h.' },
    ];
    expect(await textOf({ content: parts })).to.equal('Às 8h.');
    expect(await textOf({ content: null, refusal: 'Não posso.' })).to.equal('Não posso.');
    const reasons = [
      { type: 'reasoning', text: 'Hum.' },
      { type: 'output_text', text: 'Às ' },
    ];
    expect(await textOf({ content: [...reasons, { text: '8h' }, '.'] })).to.equal('Às 8h.');
    expect(await textOf({ content: { type: 'text', text: 'Às 8h.' } })).to.equal('Às 8h.');
    expect(await textOf({ content: [{ type: 'refusal', refusal: 'Não posso.' }] })).to.equal('Não posso.');
    expect(await textOf({ content: [null, 7, {}] })).to.equal('');
  });

  it('prints nothing, even where the environment tells the library to print all', async () => {
    const { debug, info } = console;
    const printed: unknown[] = [];
    const print = (...texts: unknown[]) => void printed.push(texts);
    Object.assign(console, { debug: print, info: print });
    // With "debug" the library prints every prompt.
    process.env['OPENAI_LOG'] = 'debug';
    try {
      await callsOf([]);
    } finally {
      delete process.env['OPENAI_LOG'];
      Object.assign(console, { debug, info });
    }
    expect(printed).to.deep.equal([]);
  });

  it('says in our own words why it gave no answer, and whether that is billed', async () => {
    const faultOf = (script: ModelScript) => ask(script).catch((error: unknown) => error);
    const refused = await faultOf(fail(429));
    expect(refused).to.include({ message: 'refused with 429', status: 429, isUnbilled: true });
    const reset = await faultOf((_request, response) => void response.destroy());
    expect(reset).to.include({ message: 'no connection', status: 0, isUnbilled: true });
    const unreadable = await faultOf((_request, response) => void response.end('Segredo?'));
    expect(unreadable).to.include({ message: 'unreadable answer', status: 0, isUnbilled: false });
  });

  it('is read to its end where a model thinks long before it answers in pieces', async () => {
    const chunkOf = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'x'.repeat(200), model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    scripted.script((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunkOf({ reasoning_content: 'hm' }).repeat(20_000));
      response.end(`${chunkOf({ content: 'Pronto.' })}${chunkOf({}, 'stop')}data: [DONE]\n\n`);
    });
    const pieces: string[] = [];
    const { text } = await provider().stream(request, options, piece => pieces.push(piece));
    expect([text, pieces]).to.deep.equal(['Pronto.', ['Pronto.']]);
  });
});
