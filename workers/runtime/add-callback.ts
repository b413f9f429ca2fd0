import { createHash } from 'node:crypto';
import { readReplyTime } from '../../db/replies.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isUuid } from '../../platform/uuid.ts';
import { isFinal, type Outcome } from '../../queues/contract/failure.ts';
import type { JobRun } from '../../queues/transport/consumer.ts';
import { addDirectEvent } from './add-event.ts';

/**
 * Tells the address that the request has named how its job has ended. Call it in the transaction that stores the reply,
 * after that; a second call for the same end adds nothing. An event outlives the reply that guards a key: an end is known
 * by its reply, or, where it freed its key, by the request.
 */
export async function addCallback(
  scope: HostScope,
  { callback, jobId, body, arrivedAt }: Pick<JobRun, 'callback' | 'jobId' | 'body' | 'arrivedAt'>,
  outcome: Outcome<unknown>,
): Promise<void> {
  if (!callback) return;
  const { code, data } = outcome;
  const state = isFinal(code) ? 'completed' : 'failed';
  const end = isFinal(code) ? await readReplyTime(scope, jobId) : arrivedAt;
  await addDirectEvent(scope, {
    ...callback,
    id: idOf(`${jobId} ${state} ${end}`),
    type: 'job.completed',
    data: { jobId, state, code, ...(data === undefined ? {} : { data }) },
    conversationId: conversationOf(body),
  });
}

function conversationOf(body: unknown): string | undefined {
  const { conversationId } = (body ?? {}) as { readonly conversationId?: unknown };
  return typeof conversationId === 'string' && isUuid(conversationId) ? conversationId : undefined;
}

/** The same for the same end of a job. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
