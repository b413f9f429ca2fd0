import type { Event } from '../runtime/add-event.ts';
import type { Turn } from './turn.ts';

/**
 * What an answered turn tells the webhooks of its host, with the conversation as it was before. Nothing where a staff
 * member attends, who gives the answers then, nor in a rehearsal, on which nobody is to act.
 */
export function eventsOf(
  { turnId, conversation, effects, isSilenced, body }: Turn,
  { ticketId, askHumanHelp }: { readonly ticketId: string; readonly askHumanHelp: boolean },
): Event[] {
  if (isSilenced || body.reasoningConfig?.rehearsal) return [];
  const conversationId = conversation.id;
  const { handover, closes, ticket, agentData } = effects;
  const isHandedOver = handover && !conversation.askHumanHelp;
  const isClosed = closes && !handover && !conversation.closed;
  return [
    { type: 'turn.answered', data: { turnId, conversationId, askHumanHelp } },
    ...agentData.map(run => ({ type: 'agent.ran', data: { ...run, conversationId } }) as const),
    ...(ticket && ticketId !== ''
      ? [{ type: 'ticket.opened', data: { ticketId, conversationId, subject: ticket.subject } } as const]
      : []),
    ...(isHandedOver
      ? [
          {
            type: 'conversation.handover_requested',
            data: { conversationId, reason: handover.reason },
          } as const,
        ]
      : []),
    ...(isClosed ? [{ type: 'conversation.closed', data: { conversationId } } as const] : []),
  ];
}
