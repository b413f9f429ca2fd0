import { insertConversation } from '../../db/conversations.ts';
import { failure } from '../../queues/failure.ts';
import { globalDataLimits } from '../../queues/operations/fields.ts';
import { globalDataFault } from '../domain/global-data.ts';
import type { Handler } from '../job.ts';

export const createConversation: Handler<'createConversation'> = async job => {
  const { globalData = {} } = job.body;
  const message = globalDataFault(globalData, globalDataLimits);
  if (message !== undefined) return failure('body-invalid', { fields: [{ path: 'globalData', message }] });
  return job.commit(async scope => {
    const conversationId = await insertConversation(scope, globalData);
    return { code: 200, data: { conversationId } };
  });
};
