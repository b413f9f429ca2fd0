import { findConversation } from '../../db/conversations.ts';
import { appendMessage as append } from '../../db/messages.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { conversationInformationOf } from './conversation-information.ts';

export const appendMessage: Handler<'appendMessage'> = job =>
  job.commit(async scope => {
    const { conversationId, content, author, name } = job.body;
    const appended = await append(scope, { conversationId, content, author, name });
    const conversation = appended && (await findConversation(scope, conversationId));
    if (!conversation) return failure('conversation-not-found');
    return { code: 201, data: conversationInformationOf(conversation) };
  });
