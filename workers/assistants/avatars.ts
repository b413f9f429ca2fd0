import {
  type Avatar,
  findAvatarById,
  hasAvatar,
  insertAvatar,
  listLinkedDatasets,
  listAvatars as listStored,
  lockAvatars,
  updateAvatar,
} from '../../db/assistants/avatars.ts';
import { readEvaluationCases, setEvaluationCases } from '../../db/assistants/evaluation-cases.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import { findHost, type Host } from '../../db/hosts/hosts.ts';
import { copyDatasetLinks, insertDataset, linkDatasets } from '../../db/knowledge/datasets.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/contract/failure.ts';
import type { EvaluationCase } from '../../queues/contract/operations/evaluation-shape.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { findModelFailure, type ModelDirectory } from '../model/model-directory.ts';
import type { ChangeTrial, Handler } from '../runtime/job.ts';

export const listAvatars: Handler<'listAvatars'> = job =>
  job.read(async scope => {
    const host = await findHost(scope);
    if (!host) throw new Error('the host of the token was deleted');
    const avatars = await listStored(scope);
    return { code: 200, data: { avatarsAdminList: { host: hostEntryOf(host), avatars } } };
  });

function hostEntryOf({ id, slug, name, maxChunks, chunkSizeLimit }: Host) {
  const host_config = { max_chunks: maxChunks, chunk_size_limit: chunkSizeLimit };
  return { host_id: id, host_slug: slug, host_name: name, host_config };
}

export const readAvatar: Handler<'readAvatar'> = ({ body, read }) =>
  read(async scope => {
    const avatar = await findAvatarById(scope, body.avatar_id);
    return avatar ? { code: 200, data: await withDatasets(scope, avatar) } : failure('avatar-not-found');
  });

async function withDatasets(scope: HostScope, avatar: Avatar): Promise<DataOf<'readAvatar'>> {
  const linked = await listLinkedDatasets(scope, avatar.avatar_id);
  return { ...avatar, datasets: linked.get(avatar.avatar_id) ?? [] };
}

type Body = BodyOf<'createSubAvatar'>;

export function makeCreateSubAvatar(directory: ModelDirectory): Handler<'createSubAvatar'> {
  return async job => {
    const refused = await findModelFailure(directory, { model: job.body.model, hostId: job.hostId });
    return refused ?? job.commit(scope => storeSubAvatar(scope, job.body));
  };
}

/** A failure rolls the transaction back, together with the inserted avatar. */
async function storeSubAvatar(scope: HostScope, body: Body): Promise<Outcome<DataOf<'createSubAvatar'>>> {
  const { avatar_id: parentId, dataset_ids: datasetIds = [], new_dataset_name: name, ...fields } = body;
  const parent = parentId === undefined ? undefined : await findAvatarById(scope, parentId);
  if (parentId !== undefined && !parent) return failure('avatar-not-found');
  const avatar = await insertAvatar(scope, { ...parent, ...fields });
  if (!avatar) return failure('sub-slug-taken');
  if (parent && body.dataset_ids === undefined)
    await copyDatasetLinks(scope, { from: parent.avatar_id, to: avatar.avatar_id });
  const made = name === undefined ? [] : [(await insertDataset(scope, { name })).id];
  const pairs = [...datasetIds, ...made].map(datasetId => ({ datasetId, avatarId: avatar.avatar_id }));
  if (!(await linkDatasets(scope, pairs))) return failure('dataset-not-found');
  for (const table of ['avatars', 'datasets', 'dataset_avatars'] as const)
    if (!(await isWithinLimits(scope, table))) return failure('host-full');
  return { code: 201, data: await withDatasets(scope, avatar) };
}

export function makeEditAvatar(directory: ModelDirectory, tryChange: ChangeTrial): Handler<'editAvatar'> {
  return async job => {
    const { avatar_id, deleted = false } = job.body;
    const refused = await findModelFailure(directory, { model: job.body.model, hostId: job.hostId });
    if (refused) return refused;
    const change = async (scope: HostScope): Promise<Outcome<DataOf<'editAvatar'>>> => {
      const [one, ...others] = deleted ? await lockAvatars(scope) : [];
      if (one === avatar_id && others.length === 0)
        return failure('last-avatar', { hint: 'create another avatar first: one answers the turns' });
      const avatar = await updateAvatar(scope, avatar_id, job.body);
      if (!avatar) return failure('sub-avatar-missing');
      return { code: 200, data: { ...avatar, ...(deleted ? { deleted } : {}) } };
    };
    return job.body.evaluate && !deleted
      ? tryChange(job, { change, listAvatars: async () => [avatar_id] })
      : job.commit(change);
  };
}

export const saveEvaluationCases: Handler<'saveEvaluationCases'> = ({ body: { avatarId, cases }, commit }) =>
  commit(async scope => {
    if (!(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
    await setEvaluationCases(scope, avatarId, cases);
    return { code: 200, data: { avatarId, count: cases.length } };
  });

export const listEvaluationCases: Handler<'listEvaluationCases'> = ({ body: { avatarId }, read }) =>
  read(async scope => {
    if (!(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
    const cases = await readEvaluationCases<EvaluationCase>(scope, avatarId);
    return { code: 200, data: { avatarId, cases: [...cases] } };
  });
