import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { datasetOf } from './knowledge-samples.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

type DocumentOperation = 'importDocument' | 'listDocuments' | 'deleteDocument';

/** The sample bodies of documents; each has its own dataset. */
export const documentSamples: {
  readonly [N in DocumentOperation]: (service: Service, tenant: Tenant) => Promise<BodyOf<N>>;
} = {
  importDocument: async (service, tenant) => documentOf(tenant, await datasetOf(service, tenant)),
  listDocuments: async (service, tenant) => {
    const dataset_id = await datasetOf(service, tenant);
    for (const external_key of ['a', 'b'])
      await importOne(service, tenant, { ...documentOf(tenant, dataset_id), external_key });
    const { hostId, token } = tenant;
    const first = { hostId, dataset_id, limit: 1 };
    const { body } = await service.call(`${SVC}/documentsListHelper`, first, { token });
    return { ...first, choosenHostId: hostId, cursor: body.data.nextCursor };
  },
  deleteDocument: async (service, tenant) => {
    const { hostId } = tenant;
    const id = await importOne(service, tenant, documentOf(tenant, await datasetOf(service, tenant)));
    return { hostId, choosenHostId: hostId, id };
  },
};

function documentOf({ hostId }: Tenant, dataset_id: string): BodyOf<'importDocument'> {
  return {
    hostId,
    choosenHostId: hostId,
    dataset_id,
    name: 'Manual',
    external_key: 'manual',
    content_type: 'text/markdown',
    content: '# Secretaria\n\nAbre às 8h.',
  };
}

async function importOne(
  service: Service,
  { token }: Tenant,
  body: BodyOf<'importDocument'>,
): Promise<string> {
  return (await service.call(`${SVC}/importDocumentHelper`, body, { token })).body.data.documentId;
}
