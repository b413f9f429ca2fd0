import { isUuid } from '../../platform/uuid.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import type { Ask } from '../job-request.ts';
import type { Notices } from './notices.ts';

/** These operations change who may be signed in. */
const rightsOperations = ['savePerson', 'endSessions'];

/** Wraps `ask` so that pages of the console hear of questions and of changes. */
export function tellChanges(ask: Ask, notices: Notices): Ask {
  return async request => {
    notifyAsked(request, notices);
    const outcome = await ask(request);
    const [hostId = ''] = request.caller.hostIds;
    const conversationId = changedConversationOf(request);
    // A question is stored even if it gets no answer.
    const isStored = !isFailure(outcome) || request.operation === 'reason';
    if (conversationId !== undefined && isStored) notices.tell({ kind: 'changed', hostId, conversationId });
    if (rightsOperations.includes(request.operation) && !isFailure(outcome))
      notices.tell({ kind: 'rights', hostId });
    return outcome;
  };
}

/** Tells of a question when it goes to the queue: the worker that takes it stores it. */
export function notifyAsked(request: JobRequest, notices: Notices): void {
  const [hostId = ''] = request.caller.hostIds;
  const conversationId = changedConversationOf(request);
  if (conversationId !== undefined && request.operation === 'reason')
    notices.tell({ kind: 'asked', hostId, conversationId });
}

/** The conversation that the request may change, if it names one. */
function changedConversationOf({ operation, caller, body }: JobRequest): string | undefined {
  if (operationOf(operation as OperationName).effect === 'reads' || caller.hostIds.length !== 1)
    return undefined;
  const { conversationId } = body as { readonly conversationId?: unknown };
  return typeof conversationId === 'string' && isUuid(conversationId) ? conversationId : undefined;
}
