import { findConversation } from '../../db/conversations/conversations.ts';
import { dropJudgedGap, upsertFeedback } from '../../db/conversations/feedback.ts';
import { addGapQuestion } from '../../db/knowledge/gap-questions.ts';
import { failure, fieldFailure } from '../../queues/contract/failure.ts';
import { addEvent } from '../runtime/add-event.ts';
import type { Handler } from '../runtime/job.ts';

export const saveFeedback: Handler<'saveFeedback'> = ({ body, caller, commit }) =>
  commit(async scope => {
    const { conversationId, turnId, score, scale, text = '' } = body;
    if (scale === undefined ? Math.abs(score) !== 1 : score < 1) {
      const values = scale === undefined ? ['-1', '1'] : ['1', '2', '3', '4', '5'];
      return fieldFailure('score', 'one-of', { values });
    }
    if (!(await findConversation(scope, conversationId))) return failure('conversation-not-found');
    const given = { conversationId, turnId, score, scale, text, actorId: caller.tokenId };
    const saved = await upsertFeedback(scope, given);
    if (!saved) return failure('answer-not-found');
    const { verdict, ...data } = saved;
    if (verdict < 0) await addGapQuestion(scope, data.turnId, 'judged');
    else await dropJudgedGap(scope, data.turnId);
    const { personId } = data;
    await addEvent(scope, {
      type: 'feedback.given',
      data: { conversationId: data.conversationId, turnId: data.turnId, personId, score, scale: data.scale },
    });
    return { code: 200, data };
  });
