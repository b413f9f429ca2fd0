import { isUuid } from '../../platform/uuid.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import type { Request } from '../../queues/transport/request.ts';
import type { Ask } from '../request.ts';
import type { Notices } from './notices.ts';

/** These operations change who may be signed in. */
const rightsOperations = ['savePerson', 'endSessions'];

/** Asks, and tells the pages of the console of what is asked and of what has changed. */
export function tellChanges(ask: Ask, notices: Notices): Ask {
  return async request => {
    notifyAsked(request, notices);
    const outcome = await ask(request);
    const [hostId = ''] = request.caller.hostIds;
    const conversationId = changedConversationOf(request);
    // A question is stored, too, if it gets no answer.
    const isStored = !isFailure(outcome) || request.operation === 'reason';
    if (conversationId !== undefined && isStored) notices.tell({ kind: 'changed', hostId, conversationId });
    if (rightsOperations.includes(request.operation) && !isFailure(outcome))
      notices.tell({ kind: 'rights', hostId });
    return outcome;
  };
}

/** Tells of a question when it goes to the queue: it is stored when a worker takes it. */
export function notifyAsked(request: Request, notices: Notices): void {
  const [hostId = ''] = request.caller.hostIds;
  const conversationId = changedConversationOf(request);
  if (conversationId !== undefined && request.operation === 'reason')
    notices.tell({ kind: 'asked', hostId, conversationId });
}

/** The conversation that the request names and may change. */
function changedConversationOf({ operation, caller, body }: Request): string | undefined {
  if (operationOf(operation as OperationName).effect === 'reads' || caller.hostIds.length !== 1)
    return undefined;
  const { conversationId } = body as { readonly conversationId?: unknown };
  return typeof conversationId === 'string' && isUuid(conversationId) ? conversationId : undefined;
}
