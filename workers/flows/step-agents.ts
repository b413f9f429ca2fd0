import { findAgents } from '../../db/agents.ts';
import type { FlowStep } from '../../db/flows.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { FieldError } from '../../queues/failure.ts';

const MOST_FAULTS = 20;

/** What the steps name and the host does not have: a turn would leave it out, and nobody would know why. */
export async function agentFaultsIn(scope: HostScope, steps: readonly FlowStep[]): Promise<FieldError[]> {
  const names = steps.flatMap(({ agents = [] }) => agents.map(({ agentName }) => agentName));
  const known = await findAgents(scope, [...new Set(names)]);
  const schemaOf = new Map(known.map(agent => [agent.name, agent.schemaName]));
  const faults = steps.flatMap(({ agents = [] }, step) =>
    agents.flatMap(({ agentName, schemaName }, at): FieldError[] => {
      const path = `chainJson[${step}].agents[${at}]`;
      const its = schemaOf.get(agentName);
      if (its === undefined)
        return [{ path: `${path}.agentName`, message: `"${agentName}" is no agent of this host` }];
      if (its === schemaName) return [];
      return [{ path: `${path}.schemaName`, message: `the agent "${agentName}" has the schema "${its}"` }];
    }),
  );
  return faults.slice(0, MOST_FAULTS);
}
