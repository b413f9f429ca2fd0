import { findAgents } from '../../db/assistants/agents.ts';
import type { FlowStep } from '../../db/assistants/flows.ts';
import { listTeams } from '../../db/hosts/teams.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FieldError, fieldError, limitFieldErrors } from '../../platform/field-error.ts';
import { findTeam } from '../domain/flow-steps.ts';

/** Returns errors for agents and teams that the steps name and the host does not have: a turn would skip them silently. */
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
  return limitFieldErrors([...errors, ...(await findTeamErrors(scope, steps))]);
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
