import {
  type Avatar,
  copyLinks,
  findAvatarById,
  insertAvatar,
  listAvatarsWithDatasets,
} from '../../db/avatars.ts';
import { linkDataset } from '../../db/datasets.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/failure.ts';
import type { BodyOf, DataOf } from '../../queues/operations/index.ts';
import type { Handler } from '../job.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import { modelFailure } from '../model/model-failure.ts';
import { editedAvatarOf } from './edited-avatar.ts';
import { linkedDatasetOf } from './linked-dataset.ts';

type Body = BodyOf<'createSubAvatar'>;

export function createSubAvatar(directory: ModelDirectory): Handler<'createSubAvatar'> {
  return async job => {
    const refused = await modelFailure(directory, job.body.model);
    return refused ?? job.commit(scope => made(scope, job.body));
  };
}

/** A refusal takes back what was made before it. */
async function made(scope: HostScope, body: Body): Promise<Outcome<DataOf<'createSubAvatar'>>> {
  const { avatar_id: parentId, dataset_ids: datasetIds = [] } = body;
  const parent = parentId === undefined ? undefined : await findAvatarById(scope, parentId);
  if (parentId !== undefined && !parent) return failure('avatar-not-found');
  const avatar = await insertAvatar(scope, newAvatarOf(body, parent));
  if (!avatar) return failure('sub-slug-taken');
  if (parent && body.dataset_ids === undefined) await copyLinks(scope, { from: parent.id, to: avatar.id });
  for (const datasetId of datasetIds) {
    if (!(await linkDataset(scope, { datasetId, avatarId: avatar.id }))) return failure('dataset-not-found');
  }
  const [{ datasets } = { datasets: [] }] = await listAvatarsWithDatasets(scope, avatar.id);
  return { code: 201, data: { ...editedAvatarOf(avatar), datasets: datasets.map(linkedDatasetOf) } };
}

function newAvatarOf(body: Body, parent: Avatar | undefined) {
  return {
    subSlug: body.sub_slug,
    name: body.avatar_name,
    picture: body.avatar_picture ?? parent?.picture,
    promptEnvelop: body.prompt_envelop ?? parent?.promptEnvelop,
    model: body.model === undefined ? parent?.model : body.model || null,
  };
}
