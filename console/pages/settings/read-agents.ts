import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { call } from '../../service.ts';

type Flow = DataOf<'listFlows'>[number];

/** An agent, and the flows that name it. */
export type Agent = DataOf<'listAgents'>['agents'][number] & { readonly flows: readonly Flow[] };

export const titleOf = ({ frontName, agentName }: Agent) => frontName || agentName;

export async function readAgents(hostId: string) {
  const [{ agents, schemas }, flows] = await Promise.all([
    call('listAgents', { hostId }),
    call('listFlows', { hostId }),
  ]);
  const isNamedIn = (name: string, { chainJson }: Flow) =>
    chainJson.some(step => step.agents?.some(({ agentName }) => agentName === name));
  return {
    agents: agents.map(agent => ({
      ...agent,
      flows: flows.filter(flow => isNamedIn(agent.agentName, flow)),
    })),
    /** A new agent has a schema of its own name. */
    taken: [
      ...agents.map(({ agentName }) => agentName),
      ...schemas.flatMap(({ schemaName, deleted }) => (deleted ? [] : schemaName)),
    ],
  };
}
