import { SVC } from '../../queues/contract/operations/paths.ts';
import { encodeCursor } from '../../workers/runtime/page.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

/** As in `sample-bodies.ts`. */
export const eventSamples = {
  saveWebhook: async (service: Service, tenant: Tenant) => ({
    id: await webhookOf(service, tenant),
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    name: 'CRM',
    url: 'https://crm.example/events',
    events: ['ticket.opened' as const],
    enabled: true,
    rotateSecret: true,
    deleted: false,
  }),
  listWebhooks: async (_service: Service, { hostId }: Tenant) => ({ hostId, choosenHostId: hostId }),
  listDeliveries: async (service: Service, tenant: Tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    limit: 5,
    cursor: encodeCursor({ at: Date.parse('2100-01-01'), id: await deliveryOf(service, tenant) }),
    webhookId: await webhookOf(service, tenant),
    state: 'pending' as const,
  }),
  replayDeliveries: async (service: Service, tenant: Tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    deliveryIds: [await deliveryOf(service, tenant)],
    webhookId: await webhookOf(service, tenant),
  }),
  testWebhook: async (service: Service, tenant: Tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    webhookId: await webhookOf(service, tenant),
  }),
};

async function webhookOf(service: Service, { hostId, token }: Tenant): Promise<string> {
  const earlier = await service.call(`${SVC}/listWebhooksHelper`, { hostId }, { token });
  if (earlier.body.data.length > 0) return earlier.body.data[0].webhookId;
  const webhook = { hostId, name: 'CRM', url: 'https://crm.example/events', events: [] };
  const { body } = await service.call(`${SVC}/saveWebhookHelper`, webhook, { token });
  return body.data.webhookId;
}

async function deliveryOf(service: Service, tenant: Tenant): Promise<string> {
  const { hostId, token } = tenant;
  const test = { hostId, webhookId: await webhookOf(service, tenant) };
  return (await service.call(`${SVC}/testWebhookHelper`, test, { token })).body.data.deliveryId;
}
