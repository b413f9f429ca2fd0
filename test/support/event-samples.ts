import { SVC } from '../../queues/contract/operations/paths.ts';
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
