import { type AvatarName, listAvatarNames } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Handler } from '../runtime/job.ts';

/** Limits the list, which has no pages. */
const MAX_LISTED = 10_000;

export function makeChatModelHandlers(db: Db): {
  readonly listChatModels: Handler<'listChatModels'>;
  readonly readChatModel: Handler<'readChatModel'>;
} {
  const listModels = async (hostIds: readonly string[]) => {
    const avatars = await withHosts(db, hostIds, scope => listAvatarNames(scope, MAX_LISTED));
    return avatars.map(avatar => modelOf(avatar, hostIds.length > 1));
  };
  return {
    listChatModels: async ({ caller: { hostIds } }) => ({
      code: 200,
      data: { object: 'list', data: await listModels(hostIds) },
    }),
    readChatModel: async ({ body: { model }, caller: { hostIds } }) => {
      const found = (await listModels(hostIds)).find(({ id }) => id === model);
      return found ? { code: 200, data: found } : failure('avatar-not-found');
    },
  };
}

function modelOf({ hostSlug, subSlug, createdAt }: AvatarName, isOfSeveral: boolean) {
  return {
    id: isOfSeveral ? `${hostSlug}/${subSlug}` : subSlug,
    object: 'model' as const,
    created: Math.floor(createdAt.getTime() / 1_000),
    owned_by: hostSlug,
  };
}
