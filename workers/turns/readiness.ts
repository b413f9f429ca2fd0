import { argumentNamesIn, findKnownArguments, type KnownData } from '../domain/known-arguments.ts';
import { argumentsProblems } from '../domain/schema-problems.ts';
import type { JsonObject } from '../tools/tool.ts';
import { boundedCheck } from './bounded-check.ts';
import type { Steering } from './steering.ts';

/** An agent that a step of type `agent` waits to run. */
export interface Readiness {
  readonly agentName: string;
  /** The places of those steps. */
  readonly steps: readonly number[];
  /** Required arguments that the data of the conversation do not give. Its dialogue may: that the model judges. */
  readonly missing: readonly string[];
  /** The required arguments where the data give all of them: then it is run in this turn. */
  readonly known?: JsonObject;
}

const LONGEST_CHECK_MS = 100;

/** How far the agents are that are to run as soon as their arguments are known. */
export function readinessOf({ plan, agents }: Steering, data: KnownData): Readiness[] {
  const waiting = new Map(plan.agents.map(({ agentName, dueAt }) => [agentName, dueAt]));
  return agents.flatMap(({ name, arguments: schema }): Readiness[] => {
    const steps = waiting.get(name) ?? [];
    if (steps.length === 0) return [];
    const { values, missing } = findKnownArguments(schema, data);
    const agent = { agentName: name, steps };
    // Where everything is optional, whoever made the schema has not said when it is time: the model judges.
    const isToldWhen = Object.keys(values).length > 0 || argumentNamesIn(schema).length === 0;
    if (missing.length > 0 || !isToldWhen) return [{ ...agent, missing }];
    const problems = boundedCheck(() => argumentsProblems(schema, values), LONGEST_CHECK_MS);
    if (problems?.length === 0) return [{ ...agent, missing, known: values }];
    const wrong = new Set(problems?.map(({ path }) => argumentIn(path)));
    return [{ ...agent, missing: Object.keys(values).filter(name => wrong.has(name)) }];
  });
}

/** The argument of the first step of a JSON pointer. */
function argumentIn(pointer: string): string {
  return (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}
