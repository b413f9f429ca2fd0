import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { NO_MASKING } from '../../workers/domain/masking/masking.ts';
import { GIVEN_UP } from '../../workers/model/tries.ts';
import type { Tool, ToolContext, ToolResult } from '../../workers/tools/tool.ts';
import { runToolLoop } from '../../workers/turns/ask.ts';
import { toolboxOf } from '../../workers/turns/tools.ts';
import { modelAt, spenderOf } from '../support/no-ledger.ts';
import { openOnce } from '../support/opened.ts';
import { call, rounds, say, startScriptedModel, toolResultsIn } from '../support/scripted-model.ts';

/* Tools that hang, throw or return too much, with the real client of the model. */

type Run = (args: Record<string, unknown>, context: ToolContext) => Promise<ToolResult>;

const toolOf = (name: string, run: Run): Tool => ({
  name,
  description: '',
  parameters: { type: 'object' },
  kind: 'mcp',
  run,
});
const never = () => new Promise<never>(() => {});

describe('a model that calls for tools', () => {
  const model = openOnce(startScriptedModel);

  const run = async (
    tools: Tool[],
    {
      remainingMs = (): number => 20_000,
      signal = new AbortController().signal,
      bugs = [] as unknown[],
    } = {},
  ) => {
    const { answer: said, ...done } = await runToolLoop({
      model: modelAt(model),
      spender: spenderOf('a'),
      modelName: undefined,
      modelFallbacks: [],
      masking: NO_MASKING,
      prompt: [{ role: 'user', content: 'Oi?' }],
      toolbox: toolboxOf(tools),
      signal,
      remainingMs,
      beforeActing: async () => {},
      onBug: error => bugs.push(error),
    });
    return { said, bugs, ...done };
  };
  const lastTold = () => toolResultsIn(model.requests.at(-1));

  it('gets what those of one answer say, run side by side, in the order in which it asked', async () => {
    let running = 0;
    const meeting = new EventEmitter();
    const bothRun = once(meeting, 'both');
    const both = async (text: string): Promise<ToolResult> => {
      running += 1;
      // The second call releases the first: sequential calls would deadlock.
      if (running === 2) meeting.emit('both');
      await bothRun;
      return { text, externalCalls: [{ name: `mcp:${text}`, status: 200, durationMs: 1 }] };
    };
    model.script(rounds(call([['one'], ['two']]), say('Certo.')));
    const { said, externalCalls } = await run([
      toolOf('one', () => both('um')),
      toolOf('two', () => both('dois')),
    ]);
    expect(said?.text).to.equal('Certo.');
    expect(lastTold()).to.deep.equal(['um', 'dois']);
    expect(externalCalls.map(({ name }) => name)).to.deep.equal(['mcp:um', 'mcp:dois']);
  });

  it('answers in time without one that hangs, which was told to stop, and calls no more', async () => {
    // The time of the turn passes only here, so that a busy machine takes nothing of it: the last 10 s are kept for the answer.
    let leftMs = 40_000;
    const hanging = toolOf('hanging', (_args, { signal, remainingMs }) => {
      expect(remainingMs).to.equal(300);
      signal.addEventListener('abort', () => (leftMs = 10_000));
      return never();
    });
    model.script((request, response) => {
      if (request.tool_choice === 'none') return say('Sem ele.')(request, response);
      leftMs = 10_300;
      return call([['hanging']])(request, response);
    });
    const { said, toolRuns } = await run([hanging], { remainingMs: () => leftMs });
    expect(said?.text).to.equal('Sem ele.');
    expect(toolRuns.map(({ status }) => status)).to.deep.equal(['timed out']);
    expect(leftMs, 'it was told to stop').to.equal(10_000);
    expect(lastTold()).to.deep.equal(['Erro: a função não respondeu a tempo.']);
  });

  it('is told that one failed which throws, and the bug is noted', async () => {
    const throwing = toolOf('throwing', () => {
      throw new Error('secret detail');
    });
    model.script(rounds(call([['throwing']]), say('Certo.')));
    const { said, bugs, toolRuns } = await run([throwing]);
    expect(said?.text).to.equal('Certo.');
    expect(bugs).to.have.length(1);
    expect(toolRuns[0]?.status).to.equal('failed');
    expect(lastTold()).to.deep.equal(['Erro: a função falhou.']);
  });

  it('gets no more than sixteen of one answer run, however many it asks for', async () => {
    let ran = 0;
    const counted = toolOf('counted', async () => ({ text: String((ran += 1)) }));
    model.script(rounds(call(Array.from({ length: 20 }, () => ['counted'])), say('Certo.')));
    const { said } = await run([counted]);
    expect([said?.text, ran, lastTold().length]).to.deep.equal(['Certo.', 16, 16]);
  });

  it('is told no more than it can take, and nothing that cannot be stored', async () => {
    const talking = toolOf('talking', async () => ({ text: `\0\ud800${'x'.repeat(1_000_000)}` }));
    const silent = toolOf('silent', async () => ({ text: '' }));
    model.script(rounds(call([['talking'], ['silent']]), say('Certo.')));
    await run([talking, silent]);
    const [long = '', empty] = lastTold();
    expect(long.length).to.be.within(15_000, 25_000);
    expect(long.slice(0, 3)).to.equal('\ufffdxx');
    expect(long).to.match(/\n\(cortado\)$/);
    expect(empty).to.equal('(sem resultado)');
  });

  it('reaches two of one name under two names', async () => {
    const told = (text: string) => toolOf('same', async () => ({ text }));
    model.script(rounds(call([['same'], ['same_2']]), say('Certo.')));
    await run([told('um'), told('dois')]);
    expect(lastTold()).to.deep.equal(['um', 'dois']);
  });

  it('is given up with the turn that stops waiting, and all that was called until then stays known', async () => {
    const limit = new AbortController();
    const hanging = toolOf('hanging', () => {
      limit.abort(GIVEN_UP);
      return never();
    });
    model.script(call([['hanging']]));
    const inTool = await run([hanging], { signal: limit.signal });
    expect(inTool.calls.map(({ status }) => status)).to.deep.equal([200]);

    const next = new AbortController();
    const quick = toolOf('quick', async () => ({ text: 'um' }));
    model.script(rounds(call([['quick']]), () => next.abort(GIVEN_UP)));
    const inModel = await run([quick], { signal: next.signal });
    expect(inModel.calls.map(({ status, error }) => error ?? status)).to.deep.equal([200, 'aborted']);
    expect([inModel.said, inModel.results]).to.deep.equal([undefined, ['um']]);
  });

  it('is left at once when nobody waits any more, and what a tool did not end is no bug of ours', async () => {
    const client = new AbortController();
    const bugs: unknown[] = [];
    const hanging = toolOf('hanging', () => {
      client.abort(new Error('gone'));
      return never();
    });
    model.script(call([['hanging']]));
    const limits = { signal: client.signal, bugs };
    const ended = await run([hanging], limits).catch((error: Error) => error.message);
    expect([ended, bugs]).to.deep.equal(['gone', []]);
  });
});
