import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { setHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { openEvents } from '../support/event-client.ts';
import { eventually } from '../support/eventually.ts';
import type { ModelRequest, ModelScript } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

/** Each kind once without a budget and once with one; many in the long run. */
const CALLS = process.env['RUNS'] ? 10_000 : 48;
const AT_ONCE = 12;

/** The prices of a million tokens, in thousandths. */
const PRICES = { scripted: [1_100n, 275n, 4_400n], cheap: [150n, 150n, 150n] } as const;

interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

type Line = Usage & { readonly model: 'scripted' | 'cheap' };

describe('what is spent, beside the bill of the provider', () => {
  const service = openOwnService({
    insightConcurrency: 0,
    // A deadline would abort whole answers, of which nobody knows what they cost.
    requestTimeoutMs: 300_000,
    modelPrices: { scripted: { input: 1.1, cachedInput: 0.275, output: 4.4 }, cheap: 0.15 },
  });
  const { demo } = service;
  before(() => setHost(service.db, 'demo', { modelFallbacks: ['cheap'] }));

  const failed: string[] = [];
  const readSpend = async () => {
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const period = { hostId: demo.hostId, startDate: at(-1), endDate: at(2) };
    return (await demo.call('getSpend', period)).body.data;
  };
  const askOne = async (kind: string, n: number) => {
    const conversationId = await service.newConversation();
    const question = `${kind} ${n}`;
    if (!['streamed', 'broken', 'left', 'leftUntold'].includes(kind)) {
      const { status, body } = await service.ask(question, { conversationId });
      // Whatever became of the turn, its calls are billed.
      if (status !== 200) failed.push(`${question}: ${status} ${body.message}`);
      return;
    }
    const client = await openEvents(service, { conversationId, question });
    if (!kind.startsWith('left')) return client.readAll();
    await client.waitForText('Um momento');
    return client.disconnect();
  };

  it(`is the same to the last digit over ${CALLS} calls: whole, streamed, retried, broken off, left and untold`, async () => {
    const { lines, script, kinds } = makeProvider();
    service.model.script(script);
    let next = 0;
    const askUntil = async (calls: number) => {
      while (lines.length < calls) {
        const n = next++;
        await askOne(kinds[n % kinds.length] ?? '', n);
        service.model.requests.length = 0;
      }
    };
    const askAtOnce = (calls: number) => Promise.all(Array.from({ length: AT_ONCE }, () => askUntil(calls)));
    await askAtOnce(CALLS / 2);
    await setHost(service.db, 'demo', { monthlyBudget: '1000000' });
    await askAtOnce(CALLS);

    expect(failed.length, failed.join()).to.be.below(CALLS / 100);
    const spend = await eventually(readSpend, ({ calls }) => calls >= lines.length);
    expect(spend).to.deep.include({
      calls: lines.length,
      input_tokens: sumOf(lines, ({ input }) => input),
      cached_tokens: sumOf(lines, ({ cached }) => cached),
      output_tokens: sumOf(lines, ({ output }) => output),
      tokens: sumOf(lines, ({ input, output }) => input + output),
    });
    expect(unitsIn(spend.cost)).to.equal(amountOf(lines));
    for (const { model, cost } of spend.models)
      expect(unitsIn(cost), model).to.equal(amountOf(lines.filter(line => line.model === model)));
    expect(await rowsOf(service.db)`select from spend_reservations`).to.have.length(0);
  }).timeout(60_000 + CALLS * 500);
});

/** Counts with the provider's own tokenizer. */
function countPrompt({ messages, tools = [] }: ModelRequest): number {
  const texts = [
    ...messages.map(({ content }) => content),
    ...tools.map(tool => JSON.stringify(tool.function)),
  ];
  return texts.reduce((sum, text) => sum + countTokens(text), 4 * messages.length);
}

function wireUsageOf({ input, cached, output }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** A provider that writes a bill. What it does is named by the question: a kind and a number, such as `cached 7`. */
function makeProvider() {
  const lines: Line[] = [];
  const asked = new Map<string, number>();
  const bill = (request: ModelRequest, usage: Usage) =>
    void lines.push({ ...usage, model: request.model as Line['model'] });
  const usageOf = (n: number): Usage => ({
    input: 100 + ((n * 37) % 5_000),
    cached: n % 3 === 0 ? 0 : 64 + ((n * 13) % 36),
    output: 1 + ((n * 7) % 300),
  });
  const countedOf = (request: ModelRequest, text: string): Usage => ({
    input: countPrompt(request),
    cached: 0,
    output: countTokens(text),
  });
  const send = (request: ModelRequest, response: ServerResponse, message: object, usage: unknown) => {
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'c', model: request.model, choices, ...(usage ? { usage } : {}) }));
  };
  const answer = (request: ModelRequest, response: ServerResponse, n: number) => {
    bill(request, usageOf(n));
    if (!request.stream) return send(request, response, { content: 'Sim.' }, wireUsageOf(usageOf(n)));
    begin(response);
    piece(request, response, 'Sim.');
    piece(request, response, '', { finish_reason: 'stop' });
    write(response, { choices: [], usage: wireUsageOf(usageOf(n)) });
    response.end('data: [DONE]\n\n');
  };
  const begin = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const write = (response: ServerResponse, chunk: object) =>
    response.write(`data: ${JSON.stringify({ id: 'c', ...chunk })}\n\n`);
  const piece = (
    { model }: ModelRequest,
    response: ServerResponse,
    content: string,
    more: object = {},
    usage?: Usage,
  ) => {
    const choices = [{ index: 0, delta: { content }, finish_reason: null, ...more }];
    write(response, { model, choices, ...(usage ? { usage: wireUsageOf(usage) } : {}) });
  };
  /** The second piece has another usage than the first. */
  const twoPieces = (request: ModelRequest, response: ServerResponse, n: number) => {
    begin(response);
    piece(request, response, 'Um ', {}, { ...usageOf(n), output: 1 });
    piece(request, response, 'momento', {}, usageOf(n));
    bill(request, usageOf(n));
  };
  const withReport =
    (report?: object, content = 'Sim.') =>
    (request: ModelRequest, response: ServerResponse) => {
      bill(request, countedOf(request, content));
      send(request, response, { content }, report);
    };
  const refuseOnce =
    (status: number, isRefused: (model: string) => boolean) =>
    (request: ModelRequest, response: ServerResponse, n: number, times: number) => {
      if (times > 0 || !isRefused(request.model)) return answer(request, response, n);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error": {}}');
    };

  const kinds = {
    whole: answer,
    streamed: answer,
    rounds(request: ModelRequest, response: ServerResponse, n: number) {
      if (request.messages.some(({ role }) => role === 'tool')) return answer(request, response, n);
      bill(request, usageOf(n + 1));
      const wanted = { name: 'close_conversation', arguments: '{}' };
      const tool_calls = [{ id: 'call_1', type: 'function', function: wanted }];
      send(request, response, { content: null, tool_calls }, wireUsageOf(usageOf(n + 1)));
    },
    fallback: refuseOnce(429, model => model === 'scripted'),
    retry: refuseOnce(500, () => true),
    /** Breaks off; the fallback answers. */
    broken(request: ModelRequest, response: ServerResponse, n: number) {
      if (request.model === 'cheap') return answer(request, response, n);
      twoPieces(request, response, n);
      setImmediate(() => response.destroy());
    },
    /** The client leaves. */
    left: twoPieces,
    leftUntold(request: ModelRequest, response: ServerResponse) {
      begin(response);
      piece(request, response, 'Um momento');
      bill(request, countedOf(request, 'Um momento'));
    },
    untold: withReport(),
    negative: withReport({ prompt_tokens: -5, completion_tokens: 1, total_tokens: -4 }),
    moreCached: withReport(wireUsageOf({ input: 10, cached: 11, output: 1 })),
    absurd: withReport(wireUsageOf({ input: 900_000_000, cached: 0, output: 1 })),
    text: withReport({ prompt_tokens: 'many', completion_tokens: Number.NaN }),
    nothing: withReport(wireUsageOf({ input: 0, cached: 0, output: 0 })),
    noAnswer: withReport(wireUsageOf({ input: 100, cached: 0, output: 0 })),
    /** More was written than one token can say. */
    shortAnswer: withReport(wireUsageOf({ input: 100, cached: 0, output: 1 }), 'Sim, até sexta. '.repeat(9)),
  };

  const script: ModelScript = (request, response) => {
    const question = request.messages.findLast(
      ({ role, content }) => role === 'user' && /^\w+ \d+$/.test(content),
    );
    const [kind = '', number = ''] = (question?.content ?? '').split(' ');
    const key = `${request.model} ${kind} ${number}`;
    const times = asked.get(key) ?? 0;
    asked.set(key, times + 1);
    kinds[kind as keyof typeof kinds](request, response, Number(number), times);
  };
  return { lines, script, kinds: Object.keys(kinds) };
}

function sumOf(lines: readonly Line[], of: (line: Line) => number): number {
  return lines.reduce((sum, line) => sum + of(line), 0);
}

/** In units of 10^-9. */
function amountOf(lines: readonly Line[]): bigint {
  return lines.reduce((sum, { model, input, cached, output }) => {
    const [full, cheaper, answer] = PRICES[model];
    return sum + BigInt(input - cached) * full + BigInt(cached) * cheaper + BigInt(output) * answer;
  }, 0n);
}

function unitsIn(cost: string): bigint {
  const [whole = '', fraction = ''] = cost.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}
