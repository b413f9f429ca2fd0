import type { Conversation } from '../../db/conversations/conversations.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';

/** The response of a turn that gives no answer. */
export function emptyResponse(
  hostId: string,
  { id, contactId, leadId, askHumanHelp }: Conversation,
  question: string | undefined,
): DataOf<'reason'> {
  return {
    assistantResponse: { string: '', wppParsed: [], isAudio: false },
    sources: [],
    unsupported: [],
    tokensControl: [],
    sessionId: id,
    conversationId: id,
    hostId,
    userId: contactId ?? '',
    leadId: leadId ?? '',
    tickets: { ticketId: '', ticketDescription: '' },
    askHumanHelp,
    jsonArray: [],
    agentsLog: [],
    restStatus: [],
    conversation: [],
    svcCompleteLog: [],
    question: question ?? '',
  };
}
