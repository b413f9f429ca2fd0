import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { encodeCursor } from '../../workers/runtime/page.ts';
import { makeAgent } from './avatar-with-flow.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

type FlowOperation =
  | 'listFlows'
  | 'listFlowTemplates'
  | 'saveFlow'
  | 'listFlowVersions'
  | 'restoreFlowVersion';

/** The sample bodies of flows. */
export const flowSamples: {
  readonly [N in FlowOperation]: (service: Service, tenant: Tenant) => Promise<BodyOf<N>>;
} = {
  listFlows: async (service, tenant) => ({
    hostId: tenant.hostId,
    avatarIds: [await avatarOf(service, tenant)],
    choosenHostId: tenant.hostId,
  }),
  listFlowTemplates: async () => ({}),
  saveFlow: async (service, tenant) => {
    const { flow, id } = await savedFlowOf(service, tenant);
    return { ...flow, id, choosenHostId: tenant.hostId };
  },
  listFlowVersions: async (service, tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    limit: 5,
    cursor: encodeCursor({ version: 2 }),
    id: (await savedFlowOf(service, tenant)).id,
  }),
  restoreFlowVersion: async (service, tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    id: (await savedFlowOf(service, tenant)).id,
    version: 1,
  }),
};

async function savedFlowOf(service: Service, tenant: Tenant) {
  const flow = await newFlowOf(service, tenant);
  const { body } = await service.call(`${SVC}/saveDecisionChainHelper`, flow, { token: tenant.token });
  return { flow, id: body.data.id as string };
}

async function newFlowOf(service: Service, tenant: Tenant) {
  const agents = [await makeAgent({ db: service.db, hostId: tenant.hostId }, 'anotar_interesse')];
  return {
    hostId: tenant.hostId,
    avatarId: await avatarOf(service, tenant),
    decisionName: 'Captação',
    chainJson: [{ type: 'notification-trigger', content: 'Quer se inscrever.', description: '', agents }],
    // Inactive, so that it does not affect the prompts of other samples.
    active: false,
  };
}

async function avatarOf(service: Service, { slug, token }: Tenant): Promise<string> {
  const { body } = await service.call(`${SVC}/avatarsListHelper`, { host_slug: slug }, { token });
  return body.data.avatarsAdminList.avatars[0].avatar_id;
}
