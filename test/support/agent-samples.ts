import { SVC } from '../../queues/contract/operations/paths.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

/** As in `sample-bodies.ts`. */
export const agentSamples = {
  saveAgent: async (_service: Service, { hostId }: Tenant) => ({ ...agent(hostId), choosenHostId: hostId }),
  deleteAgent: async (service: Service, { hostId, token }: Tenant) => {
    const saved = { ...agent(hostId), agentName: 'apagar', schemaName: 'apagado' };
    const { body } = await service.call(`${SVC}/saveAgentHelper`, saved, { token });
    return { hostId, choosenHostId: hostId, id: body.data.id as string };
  },
};

function agent(hostId: string) {
  const curso = { type: 'string' as const, default: '', description: 'Curso' };
  return {
    hostId,
    agentName: 'salvar',
    schemaName: 'curso',
    schema: { type: 'object', required: ['curso'], properties: { curso } },
    schemaDescription: 'Um curso',
    description: 'Salva o curso.',
    frontSchema: { id: 'curso', type: 'object' as const, properties: { curso } },
    frontName: 'Salvar',
    lucideIcon: 'save',
    advanced: true,
  };
}
