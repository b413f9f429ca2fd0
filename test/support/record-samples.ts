import { SVC } from '../../queues/contract/operations/paths.ts';
import { encodeCursor } from '../../workers/runtime/page.ts';
import { CRM, ticket } from './crm.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

/** As in `sample-bodies.ts`. */
export const recordSamples = {
  listTickets: async (service: Service, tenant: Tenant) => filtersOf(service, tenant),
  listLeads: async (service: Service, tenant: Tenant) => filtersOf(service, tenant),
  listIntakeRecords: async (_service: Service, tenant: Tenant) => ({
    ...pageOf(tenant),
    kind: 'tickets' as const,
    fate: 'done' as const,
  }),
  replayRecords: async (service: Service, tenant: Tenant) => {
    const { hostId } = tenant;
    await receivedTicket(service, tenant);
    const list = `${SVC}/intakeRecordsListHelper`;
    const { body } = await service.call(list, { hostId, kind: 'tickets' }, { token: tenant.token });
    return { hostId, choosenHostId: hostId, recordIds: [body.data.items[0].recordId as string] };
  },
};

const AT = Date.parse('2100-01-01') * 1_000;

function pageOf({ hostId }: Tenant) {
  const cursor = encodeCursor({ at: AT, id: '00000000-0000-4000-8000-000000000000' });
  return { hostId, choosenHostId: hostId, limit: 5, cursor };
}

async function filtersOf(service: Service, tenant: Tenant) {
  const contactId = await receivedTicket(service, tenant);
  return { ...pageOf(tenant), externalId: '77', contactId, createdSince: '2020-01-01T00:00:00Z' };
}

/** Returns the id of its contact. */
async function receivedTicket(service: Service, { token }: Tenant): Promise<string> {
  const { body } = await service.call(`${CRM}/tickets`, ticket(77), { token });
  return body.contactData.id;
}
