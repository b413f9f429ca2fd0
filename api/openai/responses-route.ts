import { isFailure } from '../../queues/contract/failure.ts';
import {
  type ModelResponse,
  type ResponseRequest,
  responseRequest,
} from '../../queues/contract/model-response.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import {
  begunResponse,
  endedResponse,
  outputOf,
  partOf,
  type ResponsePlace,
  responseIdOf,
  statusOf,
} from '../../queues/contract/response-form.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { errorOf } from '../replies/envelope.ts';
import type { EventSender } from '../replies/event-sender.ts';
import { type EventForm, turnDataOf } from '../replies/stream-answer.ts';
import type { Ask, RouteParts } from '../request.ts';
import { NEW_TEXT_MARK } from './chat-history.ts';
import { callsOf, parleyOf } from './chat-route.ts';
import { toChat } from './responses-input.ts';
import { makeTurnRoute, type OpenAiForm } from './turn-route.ts';

const form: OpenAiForm<ResponseRequest> = {
  shape: responseRequest,
  toChat,
  answerOf,
  makeEvents,
};

/** `POST /v1/responses` */
export function makeResponses(parts: RouteParts, ask: Ask): ApiMiddleware {
  return makeTurnRoute(parts, ask, form);
}

/** A response before it has an answer, with what the request set. */
function beginningOf({ state }: Ctx, sent: ResponseRequest, place: ResponsePlace) {
  const begun = begunResponse(place, state.arrivedAt, sent.model);
  const { reasoning, text } = sent;
  return {
    ...begun,
    instructions: sent.instructions ?? null,
    max_output_tokens: sent.max_output_tokens ?? null,
    metadata: (sent.metadata ?? {}) as ModelResponse['metadata'],
    parallel_tool_calls: sent.parallel_tool_calls ?? begun.parallel_tool_calls,
    previous_response_id: sent.previous_response_id ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    temperature: sent.temperature ?? null,
    text: { ...begun.text, verbosity: text?.verbosity ?? null },
    tool_choice: sent.tool_choice ?? begun.tool_choice,
    top_p: sent.top_p ?? null,
    truncation: sent.truncation ?? begun.truncation,
    user: sent.user ?? null,
  };
}

function answerOf(ctx: Ctx, sent: ResponseRequest, data: DataOf<'reason'>, jobId: string): ModelResponse {
  const place = { conversationId: data.conversationId, jobId };
  const text = data.assistantResponse.string;
  const answer = { text, isTruncated: data.truncated === true, modelCalls: callsOf(data) };
  return { ...endedResponse(beginningOf(ctx, sent, place), place, answer), parley: parleyOf(data) };
}

/**
 * The events of the response, one message with one part. An empty line and the new text follow a void one, which the form cannot
 * take back; the last events have the answer alone. Where the worker finds another conversation by the history of the request,
 * those have its id: the id of the first events then leads to no conversation, and to nobody else's.
 */
function makeEvents(ctx: Ctx, sent: ResponseRequest, likely: ResponsePlace): EventForm {
  const response = beginningOf(ctx, sent, likely);
  const place = { output_index: 0, content_index: 0, item_id: responseIdOf('msg', likely) };
  let count = 0;
  const send = (events: EventSender, type: string, fields: object) => {
    events.send({ event: type, data: { type, sequence_number: count, ...fields } });
    count += 1;
  };
  const begin = (events: EventSender) => {
    if (count > 0) return;
    send(events, 'response.created', { response });
    send(events, 'response.in_progress', { response });
    const item = outputOf(likely, 'in_progress', []);
    send(events, 'response.output_item.added', { output_index: 0, item });
    send(events, 'response.content_part.added', { ...place, part: partOf('') });
  };
  return {
    sendChange(events, { kind, text }) {
      begin(events);
      const delta = kind === 'replace' ? `${NEW_TEXT_MARK}${text}` : text;
      send(events, 'response.output_text.delta', { ...place, delta, logprobs: [] });
    },
    sendEnd(events, outcome) {
      if (isFailure(outcome)) {
        const { error } = errorOf(ctx, outcome) as { readonly error?: object };
        return send(events, 'error', { ...error, type: 'error', error });
      }
      begin(events);
      const data = turnDataOf(outcome);
      const text = data.assistantResponse.string;
      send(events, 'response.output_text.done', { ...place, text, logprobs: [] });
      send(events, 'response.content_part.done', { ...place, part: partOf(text) });
      const status = statusOf({ isTruncated: data.truncated === true });
      const item = outputOf(likely, status, [partOf(text)]);
      send(events, 'response.output_item.done', { output_index: 0, item });
      send(events, `response.${status}`, { response: answerOf(ctx, sent, data, likely.jobId) });
    },
  };
}
