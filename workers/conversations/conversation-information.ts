import type { Conversation } from '../../db/conversations.ts';
import type { ConversationInformation } from '../../queues/operations/conversation-information.ts';

export function conversationInformationOf(conversation: Conversation): ConversationInformation {
  const { lastMessageAt, createdAt } = conversation;
  return {
    id: conversation.id,
    dialogue_summary: conversation.dialogueSummary,
    main_topic: conversation.mainTopic,
    user_name: conversation.userName,
    tip: conversation.tip,
    wpp_id: conversation.wppId,
    archived: conversation.archived,
    last_message_at: (lastMessageAt ?? createdAt).toISOString(),
    external_id: conversation.externalId,
    heat_score: conversation.heatScore,
    heat_score_description: conversation.heatScoreDescription,
    sentiment_score: conversation.sentimentScore,
    sentiment_score_explanation: conversation.sentimentScoreExplanation,
    lead_id: conversation.leadId ?? '',
    ask_human_help: conversation.askHumanHelp,
    closed: conversation.closed,
  };
}
