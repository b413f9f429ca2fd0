import type { Db } from '../../db/connection.ts';
import { findResponseTurn, type ResponseTurn } from '../../db/conversations/responses.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { ModelResponse } from '../../queues/contract/model-response.ts';
import { begunResponse, endedResponse, placeIn, responseIdOf } from '../../queues/contract/response-form.ts';
import type { Handler } from '../runtime/job.ts';

export function makeReadResponse(db: Db): Handler<'readResponse'> {
  return async ({ body: { response_id: id }, caller: { hostIds } }) => {
    const place = id.startsWith('resp_') ? placeIn(id) : undefined;
    const turn = place && (await withHosts(db, hostIds, scope => findResponseTurn(scope, place)));
    if (!turn) return failure('answer-not-found');
    return { code: 200, data: responseOf(turn, place.conversationId, hostIds.length > 1) };
  };
}

function responseOf(turn: ResponseTurn, conversationId: string, isOfSeveral: boolean): ModelResponse {
  const { jobId, hostSlug, subSlug, state, failedCode, previousJobId, receipt } = turn;
  const place = { conversationId, jobId };
  const model = subSlug === null ? '' : isOfSeveral ? `${hostSlug}/${subSlug}` : subSlug;
  const begun = begunResponse(place, turn.arrivedAt.getTime(), model);
  const known = {
    ...begun,
    previous_response_id: previousJobId && responseIdOf('resp', { conversationId, jobId: previousJobId }),
  };
  if (state === 'answered') {
    const isTruncated = receipt?.truncated === true;
    return endedResponse(known, place, {
      text: turn.text,
      isTruncated,
      modelCalls: receipt?.modelCalls ?? [],
    });
  }
  if (state !== 'unanswered') return known;
  if (failedCode === null) return { ...known, status: 'cancelled' };
  const error = { code: 'server_error' as const, message: `The turn ended with the status ${failedCode}` };
  return { ...known, status: 'failed', error };
}
