import { type AvatarWithDatasets, listAvatarsWithDatasets } from '../../db/avatars.ts';
import { findHost, type Host } from '../../db/hosts.ts';
import type { Handler } from '../job.ts';
import { linkedDatasetOf } from './linked-dataset.ts';

export const listAvatars: Handler<'listAvatars'> = job =>
  job.read(async scope => {
    const host = await findHost(scope);
    if (!host) throw new Error('the token was checked against a host that is gone');
    const avatars = await listAvatarsWithDatasets(scope);
    const listed = avatars.map(avatar => avatarEntryOf(host, avatar));
    return { code: 200, data: { avatarsAdminList: { host: hostEntryOf(host), avatars: listed } } };
  });

function hostEntryOf({ id, slug, name, maxChunks, chunkSizeLimit }: Host) {
  const host_config = { max_chunks: maxChunks, chunk_size_limit: chunkSizeLimit };
  return { host_id: id, host_slug: slug, host_name: name, host_config };
}

function avatarEntryOf(host: Host, avatar: AvatarWithDatasets) {
  return {
    hostPicture: host.picture,
    avatarPicture: avatar.picture,
    avatar_id: avatar.id,
    avatar_name: avatar.name,
    sub_slug: avatar.subSlug,
    datasets: avatar.datasets.map(linkedDatasetOf),
  };
}
