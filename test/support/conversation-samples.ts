import { SVC } from '../../queues/contract/operations/paths.ts';
import { encodeCursor } from '../../workers/runtime/page.ts';
import { PUBLIC, type Service } from './service.ts';
import type { Tenant } from './tenant.ts';

/** As in `sample-bodies.ts`. */
export const conversationListSamples = {
  listConversations: async (service: Service, tenant: Tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    limit: 5,
    cursor: encodeCursor(await firstPlaceOf(service, tenant)),
    ask_human_help: false,
    closed: false,
    archived: false,
    platform: 'api',
    assigned_to: 'Bia',
    contactId: await contactOf(service, tenant),
    updatedSince: '2020-01-01T00:00:00Z',
  }),
  listMessages: async (service: Service, tenant: Tenant) => ({
    conversationId: await conversationOf(service, tenant),
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    limit: 5,
    cursor: encodeCursor({ seq: '1' }),
  }),
};

export async function conversationOf(service: Service, { hostId, slug, token }: Tenant): Promise<string> {
  const wanted = { hostId, hostSlug: slug };
  const { body } = await service.call(`${PUBLIC}/createConversationId`, wanted, { token });
  return body.data.conversationId;
}

async function firstPlaceOf(service: Service, tenant: Tenant) {
  const id = await conversationOf(service, tenant);
  return { at: 1, id, begunAt: Date.now() * 1_000, oldest: 1, begun: 0, running: [] };
}

async function contactOf(service: Service, tenant: Tenant): Promise<string> {
  const { hostId, token } = tenant;
  const conversationId = await conversationOf(service, tenant);
  const turn = { hostId, conversationId, question: 'Oi', userData: { email: 'rui@example.com' } };
  return (await service.call(SVC, turn, { token })).body.data.userId;
}
