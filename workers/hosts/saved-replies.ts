import { randomUUID } from 'node:crypto';
import { setActor } from '../../db/hosts/actor.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import {
  deleteSavedReply,
  findSavedReplyForUpdate,
  listSavedReplies as listAll,
  upsertSavedReply,
} from '../../db/hosts/saved-replies.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Handler } from '../runtime/job.ts';

export const listSavedReplies: Handler<'listSavedReplies'> = ({ caller, read }) =>
  read(async scope => ({ code: 200, data: await listAll(scope, caller.tokenId) }));

export const saveSavedReply: Handler<'saveSavedReply'> = ({ operation, body, caller, commit }) =>
  commit(async scope => {
    const { tokenId, tokenName } = caller;
    const earlier =
      body.id === undefined ? undefined : await findSavedReplyForUpdate(scope, body.id, tokenId);
    if (body.id !== undefined && !earlier) return failure('reply-not-found');
    // Those who attend change no other configuration: only of this is told who they are.
    await setActor(scope.tx, { kind: 'token', tokenId, name: tokenName, operation });
    if (body.deleted && earlier) {
      await deleteSavedReply(scope, earlier.replyId);
      return { code: 200, data: { ...earlier, deleted: true } };
    }
    const { name = earlier?.name, text = earlier?.text, onlyMine = earlier?.onlyMine } = body;
    if (name === undefined || text === undefined) {
      const missing = Object.entries({ name, text }).filter(([, value]) => value === undefined);
      return failure('body-invalid', { fields: missing.map(([path]) => ({ path, message: 'is required' })) });
    }
    const id = earlier?.replyId ?? randomUUID();
    const saved = await upsertSavedReply(scope, { id, name, text, owner: onlyMine ? tokenId : null });
    if (!(await isWithinLimits(scope, 'saved_replies'))) return failure('host-full');
    return { code: 200, data: saved };
  });
