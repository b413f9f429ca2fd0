import { findConversation } from '../../db/conversations.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { conversationInformationOf } from './conversation-information.ts';

export const getConversationInformation: Handler<'getConversationInformation'> = job =>
  job.read(async scope => {
    const conversation = await findConversation(scope, job.body.conversationId);
    if (!conversation) return failure('conversation-not-found');
    return { code: 200, data: conversationInformationOf(conversation) };
  });
