import { randomBytes } from 'node:crypto';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenant.ts';

type AvatarOperation =
  | 'listAvatars'
  | 'readAvatar'
  | 'editAvatar'
  | 'createSubAvatar'
  | 'saveEvaluationCases'
  | 'listEvaluationCases';

/** The sample bodies of avatars. */
export const avatarSamples: {
  readonly [N in AvatarOperation]: (service: Service, tenant: Tenant) => Promise<BodyOf<N>>;
} = {
  listAvatars: async (_service, { hostId, slug }) => ({ host_slug: slug, choosenHostId: hostId }),
  readAvatar: async (service, tenant) => ({
    avatar_id: (await avatarOf(service, tenant)).avatar_id,
    host_id: tenant.hostId,
    choosenHostId: tenant.hostId,
  }),
  editAvatar: async (service, tenant) => ({
    avatar_id: (await avatarOf(service, tenant)).avatar_id,
    host_id: tenant.hostId,
    choosenHostId: tenant.hostId,
    avatar_name: 'Lia',
    avatar_picture: 'https://horizonte.example/lia.png',
    prompt_envelop: 'Você é a Lia.',
    model: 'scripted',
    evaluate: false,
  }),
  saveEvaluationCases: async (service, tenant) => ({
    ...(await casesOf(service, tenant)),
    cases: [
      {
        name: 'horário',
        question: 'Que horas abre?',
        dialogue: [{ role: 'user' as const, content: 'Oi' }],
        expect: { contains: ['Às 8h'], unsupported: 0 },
      },
    ],
  }),
  listEvaluationCases: async (service, tenant) => casesOf(service, tenant),
  createSubAvatar: async (service, tenant) => {
    const { avatar_id, datasets } = await avatarOf(service, tenant);
    return {
      host_id: tenant.hostId,
      choosenHostId: tenant.hostId,
      avatar_id,
      dataset_ids: datasets.map(each => each.dataset_id),
      // New at each read: a slug can be taken only once.
      get sub_slug() {
        return `sub-${randomBytes(6).toString('hex')}`;
      },
      avatar_name: 'Bia',
    };
  },
};

async function avatarOf(service: Service, { slug, token }: Tenant) {
  const { body } = await service.call(`${SVC}/avatarsListHelper`, { host_slug: slug }, { token });
  return body.data.avatarsAdminList.avatars[0] as { avatar_id: string; datasets: { dataset_id: string }[] };
}

async function casesOf(service: Service, tenant: Tenant) {
  const { avatar_id: avatarId } = await avatarOf(service, tenant);
  return { hostId: tenant.hostId, choosenHostId: tenant.hostId, avatarId };
}
