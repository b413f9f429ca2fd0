import { updateAvatar } from '../../db/avatars.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import { modelFailure } from '../model/model-failure.ts';
import { editedAvatarOf } from './edited-avatar.ts';

export function editAvatar(directory: ModelDirectory): Handler<'editAvatar'> {
  return async job => {
    const { avatar_id, avatar_name, avatar_picture, prompt_envelop, model } = job.body;
    const changes = { name: avatar_name, picture: avatar_picture, promptEnvelop: prompt_envelop, model };
    const refused = await modelFailure(directory, model);
    if (refused) return refused;
    return job.commit(async scope => {
      const avatar = await updateAvatar(scope, avatar_id, changes);
      return avatar ? { code: 200, data: editedAvatarOf(avatar) } : failure('sub-avatar-missing');
    });
  };
}
