import type { Avatar } from '../../db/avatars.ts';
import type { DataOf } from '../../queues/operations/index.ts';

export function editedAvatarOf(avatar: Avatar): DataOf<'editAvatar'> {
  return {
    avatar_id: avatar.id,
    sub_slug: avatar.subSlug,
    avatar_picture: avatar.picture,
    avatar_name: avatar.name,
    prompt_envelop: avatar.promptEnvelop,
    model: avatar.model ?? '',
  };
}
