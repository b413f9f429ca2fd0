import type { Avatar } from '../../db/assistants/avatars.ts';
import { type Failure, failure, isFailure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { findModelFailure, type ModelDirectory } from '../model/model-directory.ts';
import { applyAvatarChanges, findAgentErrors } from '../runtime/assistant-changes.ts';
import type { HandlerJob } from '../runtime/job.ts';

/*
 * A rehearsal may try changes of the assistant that are not saved: they are checked as where they are saved, and laid over
 * what the turn reads. `evaluate: true` makes the change itself, in transactions that are rolled back; a turn cannot,
 * because the transaction in which it reads commits its claim.
 */

const PATH = 'reasoningConfig.changes';

/** Why the changes of the request cannot be rehearsed, whatever the conversation. */
export async function findChangesFailure(
  directory: ModelDirectory,
  { body, caller, read }: HandlerJob<'reason'>,
): Promise<Failure | undefined> {
  const { changes, rehearsal } = body.reasoningConfig ?? {};
  if (!changes) return undefined;
  if (!caller.scopes.includes('manage'))
    return failure('forbidden', { hint: `${PATH} needs the scope manage` });
  if (!rehearsal)
    return failure('body-invalid', { fields: [{ path: PATH, message: 'is for rehearsals only' }] });
  const refused = await findModelFailure(directory, changes.avatar?.model, `${PATH}.avatar.model`);
  const steps = changes.flow?.chainJson;
  if (refused || !steps) return refused;
  const checked = await read(async scope => {
    const errors = await findAgentErrors(scope, steps);
    const fields = errors.map(({ path, message }) => ({ path: `${PATH}.flow.${path}`, message }));
    return fields.length > 0 ? failure('body-invalid', { fields }) : { code: 200, data: steps };
  });
  return isFailure(checked) ? checked : undefined;
}

/** The avatar with the changes of a rehearsal. */
export function changedAvatarOf(avatar: Avatar, { reasoningConfig }: BodyOf<'reason'>): Avatar {
  const changes = reasoningConfig?.changes?.avatar;
  return changes ? applyAvatarChanges(avatar, changes) : avatar;
}
