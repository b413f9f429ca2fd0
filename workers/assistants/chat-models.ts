import { listAvatarNames } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { withHosts } from '../../db/with-hosts.ts';
import type { Handler } from '../runtime/job.ts';

/** The list has no pages. */
const MAX_LISTED = 10_000;

export function makeListChatModels(db: Db): Handler<'listChatModels'> {
  return async ({ caller: { hostIds } }) => {
    const avatars = await withHosts(db, hostIds, scope => listAvatarNames(scope, MAX_LISTED));
    const data = avatars.map(({ hostSlug, subSlug, createdAt }) => ({
      id: hostIds.length > 1 ? `${hostSlug}/${subSlug}` : subSlug,
      object: 'model' as const,
      created: Math.floor(createdAt.getTime() / 1_000),
      owned_by: hostSlug,
    }));
    return { code: 200, data: { object: 'list' as const, data } };
  };
}
