import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

type KnowledgeOperation =
  | 'listDatasets'
  | 'createDataset'
  | 'editDataset'
  | 'linkDatasetAvatar'
  | 'unlinkDatasetAvatar'
  | 'createChunk'
  | 'editChunk'
  | 'readChunks';

/** The sample bodies of datasets and chunks; each has its own dataset. */
export const knowledgeSamples: {
  readonly [N in KnowledgeOperation]: (service: Service, tenant: Tenant) => Promise<BodyOf<N>>;
} = {
  listDatasets: async (service, tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    avatarIds: [await avatarOf(service, tenant)],
  }),
  createDataset: async (service, tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    datasetName: 'Manual',
    datasetType: 'filtered_rag',
    expires: '2099-12-31T23:59:59-03:00',
    avatarIds: [await avatarOf(service, tenant)],
  }),
  editDataset: async (service, tenant) => ({
    id: await datasetOf(service, tenant),
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    datasetName: 'Guia',
    visible: true,
    deleted: false,
    expires: '2099-12-31T00:00:00Z',
  }),
  linkDatasetAvatar: async (service, tenant) => ({
    datasetId: await datasetOf(service, tenant),
    avatarId: await avatarOf(service, tenant),
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
  }),
  unlinkDatasetAvatar: async (service, tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    datasetId: await datasetOf(service, tenant),
    avatarId: await avatarOf(service, tenant),
  }),
  createChunk: async (service, tenant) => ({
    host_id: tenant.hostId,
    choosenHostId: tenant.hostId,
    content: '# Secretaria\n\nAbre às 8h.',
    dataset_id: await datasetOf(service, tenant),
  }),
  editChunk: async (service, tenant) => {
    const dataset_id = await datasetOf(service, tenant);
    return {
      id: await chunkOf(service, tenant, dataset_id),
      host_id: tenant.hostId,
      choosenHostId: tenant.hostId,
      content: '# Secretaria\n\nAbre às 9h.',
      dataset_id: [dataset_id],
      deleted: false,
    };
  },
  readChunks: async (service, tenant) => {
    const datasetId = await datasetOf(service, tenant);
    await chunkOf(service, tenant, datasetId);
    return {
      hostId: tenant.hostId,
      choosenHostId: tenant.hostId,
      avatar_id: await avatarOf(service, tenant),
      dataset_ids: [datasetId],
      question: 'Quando abre a secretaria?',
      limit: 5,
      offset: 0,
    };
  },
};

async function avatarOf(service: Service, { slug, token }: Tenant): Promise<string> {
  const { body } = await service.call(`${SVC}/avatarsListHelper`, { host_slug: slug }, { token });
  return body.data.avatarsAdminList.avatars[0].avatar_id;
}

export async function datasetOf(service: Service, tenant: Tenant): Promise<string> {
  const wanted = {
    hostId: tenant.hostId,
    datasetName: 'Manual',
    avatarIds: [await avatarOf(service, tenant)],
  };
  const { body } = await service.call(`${SVC}/createDatasetsHelper`, wanted, { token: tenant.token });
  return body.data.id;
}

async function chunkOf(service: Service, { hostId, token }: Tenant, dataset_id: string): Promise<string> {
  const wanted = { host_id: hostId, content: 'A secretaria abre às 8h.', dataset_id };
  const { body } = await service.call(`${SVC}/createChunkHelper`, wanted, { token });
  return body.data.chunk_id;
}
