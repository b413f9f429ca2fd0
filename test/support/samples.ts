import { randomBytes } from 'node:crypto';
import { setAgent, setSchema } from '../../db/agents.ts';
import { setMapping } from '../../db/crm-mappings.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { withObjects } from './example-objects.ts';
import { bodySchemaOf, type Fields } from './operation-calls.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

export type Samples = Readonly<Record<OperationName, Fields>>;

/** For each operation a body with which it succeeds: its example, with objects of this tenant, new for each. */
export async function samplesOf({ db }: Service, tenant: Tenant): Promise<Samples> {
  return withHost(db, tenant.hostId, async scope => {
    await prepareHost(scope);
    const samples: [OperationName, Fields][] = [];
    for (const name of operationNames) samples.push([name, await sampleOf(scope, name, tenant)]);
    return Object.fromEntries(samples) as Samples;
  });
}

/** What examples name without an id. */
async function prepareHost(scope: HostScope): Promise<void> {
  await setSchema(scope, { name: 'interesse', arguments: { type: 'object', properties: {} } });
  await setAgent(scope, { name: 'registrar_interesse', schemaName: 'interesse' });
  const fields = { external_id: { to: 'external_id' }, email: { to: 'email' }, curso: { to: 'dealname' } };
  const agreed = { target: 'leads', fields, required: [['external_id']], solvedStages: [], campus: false };
  await setMapping(scope, 'objects', agreed);
}

async function sampleOf(scope: HostScope, name: OperationName, tenant: Tenant): Promise<Fields> {
  const example = operationOf(name).example.body as Fields;
  const filled = JSON.parse(await withObjects(scope, JSON.stringify(example)));
  const sample: Fields = { ...filled, ...hostFieldsOf(name, tenant) };
  return exceptions[name]?.(sample) ?? sample;
}

/** Each field that names a host, also those that an example leaves out. */
function hostFieldsOf(name: OperationName, { hostId, slug }: Tenant): Fields {
  const values = { hostId, host_id: hostId, choosenHostId: hostId, hostSlug: slug, host_slug: slug };
  const declared = bodySchemaOf(name).properties ?? {};
  return Object.fromEntries(Object.entries(values).filter(([field]) => field in declared));
}

const exceptions: Readonly<Partial<Record<OperationName, (sample: Fields) => Fields>>> = {
  createSubAvatar: sample => ({
    ...sample,
    // New at each read: a slug can be taken only once.
    get sub_slug() {
      return `sub-${randomBytes(6).toString('hex')}`;
    },
  }),
  // Without records it ends at once, so that the next one may start.
  reindex: sample => ({ ...sample, since: '2999-01-01T00:00:00.000Z' }),
};
