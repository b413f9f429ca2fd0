import { setConversation } from '../../db/conversations.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { conversationInformationOf } from './conversation-information.ts';

export const updateConversation: Handler<'updateConversation'> = job =>
  job.commit(async scope => {
    const { conversationId, archived, closed, ask_human_help, external_id, wpp_id } = job.body;
    const conversation = await setConversation(scope, conversationId, {
      ...(archived === undefined ? {} : { archived }),
      ...(closed === undefined ? {} : { closed }),
      ...(ask_human_help === undefined ? {} : { askHumanHelp: ask_human_help }),
      ...(external_id === undefined ? {} : { externalId: external_id }),
      ...(wpp_id === undefined ? {} : { wppId: wpp_id }),
    });
    if (!conversation) return failure('conversation-not-found');
    return { code: 200, data: conversationInformationOf(conversation) };
  });
