import { findAgents } from '../../db/assistants/agents.ts';
import type { FlowStep } from '../../db/assistants/flows.ts';
import { listTeams } from '../../db/hosts/teams.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import {
  type FieldError,
  fieldError,
  limitFieldErrors,
  missingErrorsOf,
} from '../../platform/field-error.ts';
import { foldText } from '../../text/fold.ts';
import { branchTargetOf } from '../domain/asks/flow-walk.ts';
import { findTeam } from '../domain/flow-steps.ts';

/** Returns errors for what a turn would pass over silently: agents and teams that the host does not have, questions and branches without their parts. */
export async function findStepErrors(scope: HostScope, steps: readonly FlowStep[]): Promise<FieldError[]> {
  const names = steps.flatMap(({ agents = [] }) => agents.map(({ agentName }) => agentName));
  const known = await findAgents(scope, [...new Set(names)]);
  const schemaOf = new Map(known.map(agent => [agent.name, agent.schemaName]));
  const errors = steps.flatMap(({ agents = [] }, step) =>
    agents.flatMap(({ agentName, schemaName }, at): FieldError[] => {
      const path = `chainJson[${step}].agents[${at}]`;
      const its = schemaOf.get(agentName);
      if (its === undefined)
        return [fieldError(`${path}.agentName`, 'unknown', `"${agentName}" is no agent of this host`)];
      if (its === schemaName) return [];
      const message = `the agent "${agentName}" has the schema "${its}"`;
      return [fieldError(`${path}.schemaName`, 'unknown', message)];
    }),
  );
  return limitFieldErrors([
    ...steps.flatMap(partErrorsOf),
    ...errors,
    ...(await findTeamErrors(scope, steps)),
  ]);
}

/** The parts that steps of the two types with rules of their own need. */
function partErrorsOf(step: FlowStep, at: number, steps: readonly FlowStep[]): FieldError[] {
  const path = `chainJson[${at}]`;
  const { type, name, kind, content, choices, values, goTo } = step;
  const missing = (parts: Readonly<Record<string, unknown>>) =>
    missingErrorsOf(parts).map(error => ({ ...error, path: `${path}.${error.path}` }));
  if (type === 'ask')
    return [
      ...missing({ name, kind, ...(kind === 'choice' ? { choices } : {}) }),
      ...(content.trim() === '' ? [fieldError(`${path}.content`, 'not-empty')] : []),
      ...(choices && kind !== 'choice'
        ? [fieldError(`${path}.choices`, 'only-with', { values: ['kind choice'] })]
        : []),
      ...choiceErrorsOf(choices, path),
    ];
  if (type === 'message') return choiceErrorsOf(choices, path);
  if (type !== 'when') return [];
  const isLost = goTo !== undefined && branchTargetOf(steps, at, goTo) === undefined;
  const message = 'names no later step of the flow';
  return [
    ...missing({ name, values, goTo }),
    ...(isLost ? [fieldError(`${path}.goTo`, 'unknown', message)] : []),
  ];
}

/** A person could not tell two of the same title apart. */
function choiceErrorsOf(choices: FlowStep['choices'] = [], path: string): FieldError[] {
  return (['id', 'title'] as const).flatMap(part => {
    const folded = choices.map(choice => foldText(choice[part]).trim());
    return folded.flatMap((text, at) =>
      folded.indexOf(text) < at
        ? [fieldError(`${path}.choices[${at}].${part}`, 'twice', `is the ${part} of another choice`)]
        : [],
    );
  });
}

async function findTeamErrors(scope: HostScope, steps: readonly FlowStep[]): Promise<FieldError[]> {
  if (steps.every(({ team }) => team === undefined)) return [];
  const teams = (await listTeams(scope)).map(({ teamId, name }) => ({ id: teamId, name }));
  return steps.flatMap(({ team }, at) =>
    team === undefined || findTeam(teams, team)
      ? []
      : [fieldError(`chainJson[${at}].team`, 'unknown', `"${team}" is no team of this host`)],
  );
}
