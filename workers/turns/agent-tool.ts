import type { AgentWithSchema } from '../../db/agents.ts';
import type { OfferedAgent } from '../domain/flow-steps.ts';
import { argumentsProblems, type Problem, prepareSchema } from '../domain/schema-problems.ts';
import { isBlank } from '../domain/user-data.ts';
import { runBoundedCheck } from '../runtime/bounded-check.ts';
import { type Stopwatch, startStopwatch } from '../runtime/stopwatch.ts';
import type { JsonObject, Tool, ToolResult } from '../tools/tool.ts';
import type { AgentRun, Effects } from './effects.ts';

/** Once for each schema. */
const LONGEST_COMPILE_MS = 250;
/** Each time: arguments are met in a few milliseconds, or by a pattern that may take for ever. */
const LONGEST_CHECK_MS = 100;

/** With the required arguments where the data of the conversation give them: then it is due. */
type Offer = OfferedAgent & { readonly known?: JsonObject };

/**
 * An agent as a function. Running it is giving it arguments that meet its schema; what is wrong with them is told to
 * the model, which may put it right once. That is one run, failed until it is repaired.
 */
export function makeAgentTool(name: string, agent: AgentWithSchema, offer: Offer, effects: Effects): Tool {
  let failed: AgentRun | undefined;
  let watch: Stopwatch | undefined;
  let isGivenUp = false;
  let isDone = false;

  function note(run: AgentRun): AgentRun {
    if (failed) effects.agentRuns.splice(effects.agentRuns.indexOf(failed), 1);
    effects.agentRuns.push(run);
    return run;
  }

  function refuse(problems: readonly Problem[], run: Omit<AgentRun, 'status'>): ToolResult {
    const error = problems.map(({ path, message }) => `${path || '/'} ${message}`).join('; ');
    isGivenUp = failed !== undefined;
    failed = note({ ...run, status: 'failed', error });
    const advice = isGivenUp ? 'Não chame esta função de novo.' : 'Corrija e chame de novo, uma única vez.';
    return { text: `Erro: os argumentos não servem: ${error}. ${advice}`, isError: true };
  }

  return {
    name,
    description: [
      agent.description,
      ...offer.conditions.map(told => `Chame quando isto acontecer: ${told}`),
    ].join('\n'),
    parameters: agent.arguments,
    kind: 'agent',
    isDue: offer.known !== undefined,
    async run(given, context) {
      const args = withKnown(given, offer.known);
      if (isDone) return { text: 'Erro: isto já foi feito, e só se faz uma vez.', isError: true };
      if (isGivenUp) return { text: 'Erro: esta função não pode mais ser chamada.', isError: true };
      watch ??= context.asked?.watch ?? startStopwatch();
      const tokens = (context.asked?.tokens ?? 0) + (failed?.tokens ?? 0);
      const run = { ...runOf(agent, offer, watch), tokens };
      const problems = problemsWith(agent, args);
      if (problems.length > 0) return refuse(problems, run);
      note({ ...run, status: 'done' });
      failed = undefined;
      isDone = offer.isOnce;
      record(effects, agent, offer, args);
      return { text: 'Pronto, os dados foram registrados.' };
    },
  };
}

function problemsWith({ arguments: schema }: AgentWithSchema, args: JsonObject): readonly Problem[] {
  runBoundedCheck(() => prepareSchema(schema), LONGEST_COMPILE_MS);
  const problems = runBoundedCheck(() => argumentsProblems(schema, args), LONGEST_CHECK_MS);
  return problems ?? [{ path: '', message: 'took too long to check' }];
}

/** What is known stands where the model left it out. */
function withKnown(given: JsonObject, known: JsonObject = {}): JsonObject {
  const left = Object.entries(known).filter(([name]) => !Object.hasOwn(given, name) || isBlank(given[name]));
  return { ...given, ...Object.fromEntries(left) };
}

function runOf({ name }: AgentWithSchema, { step }: OfferedAgent, watch: Stopwatch) {
  const startedAt = watch.startedAt.toISOString();
  return { agentName: name, step, startedAt, durationMs: watch.elapsedMs() };
}

function record(effects: Effects, agent: AgentWithSchema, offer: OfferedAgent, data: JsonObject): void {
  effects.agentData.push({ agentName: agent.name, schemaName: agent.schemaName, data });
  effects.stepsDone.push(...offer.steps);
}
