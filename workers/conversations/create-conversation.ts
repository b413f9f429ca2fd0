import { insertConversation } from '../../db/conversations.ts';
import type { Handler } from '../job.ts';

export const createConversation: Handler<'createConversation'> = job =>
  job.commit(async scope => {
    const conversationId = await insertConversation(scope, job.body.globalData);
    return { code: 200, data: { conversationId } };
  });
