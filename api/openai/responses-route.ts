import { createHash } from 'node:crypto';
import { isFailure } from '../../queues/contract/failure.ts';
import {
  type ModelResponse,
  type ResponseRequest,
  responseRequest,
} from '../../queues/contract/model-response.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { errorOf } from '../replies/envelope.ts';
import type { EventSender } from '../replies/event-sender.ts';
import { type EventForm, turnDataOf } from '../replies/stream-answer.ts';
import type { Ask, RouteParts } from '../request.ts';
import { NEW_TEXT_MARK } from './chat-history.ts';
import { parleyOf, usageOf } from './chat-route.ts';
import { responseIdOf, toChat } from './responses-input.ts';
import { makeTurnRoute, type OpenAiForm } from './turn-route.ts';

const form: OpenAiForm<ResponseRequest> = {
  shape: responseRequest,
  toChat,
  answerOf: (ctx, sent, data) => endedOf(beginningOf(ctx, sent, data.conversationId), data),
  makeEvents,
};

/** `POST /v1/responses` */
export function makeResponses(parts: RouteParts, ask: Ask): ApiMiddleware {
  return makeTurnRoute(parts, ask, form);
}

interface Beginning {
  readonly response: Omit<ModelResponse, 'parley'>;
  readonly messageId: string;
}

/** A response before it has an answer. */
function beginningOf({ state }: Ctx, sent: ResponseRequest, conversationId: string): Beginning {
  const digest = createHash('sha256').update(state.requestId).digest('hex');
  return {
    messageId: responseIdOf('msg', conversationId, digest),
    response: {
      id: responseIdOf('resp', conversationId, digest),
      object: 'response',
      created_at: Math.floor(state.arrivedAt / 1_000),
      status: 'in_progress',
      incomplete_details: null,
      error: null,
      instructions: sent.instructions ?? null,
      previous_response_id: sent.previous_response_id ?? null,
      model: sent.model,
      output: [],
      parallel_tool_calls: true,
      temperature: null,
      top_p: null,
      tool_choice: 'auto',
      tools: [],
      metadata: {},
      usage: null,
    },
  };
}

function endedOf({ response, messageId }: Beginning, data: DataOf<'reason'>): ModelResponse {
  const { prompt_tokens: input, completion_tokens: output, total_tokens } = usageOf(data);
  return {
    ...response,
    status: statusOf(data),
    incomplete_details: data.truncated ? { reason: 'max_output_tokens' } : null,
    output: [messageOf(messageId, statusOf(data), [partOf(data.assistantResponse.string)])],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens,
    },
    parley: parleyOf(data),
  };
}

type Message = ModelResponse['output'][number];

function statusOf({ truncated }: DataOf<'reason'>): 'completed' | 'incomplete' {
  return truncated ? 'incomplete' : 'completed';
}

function messageOf(id: string, status: Message['status'], content: Message['content']): Message {
  return { id, type: 'message', status, role: 'assistant', content };
}

function partOf(text: string): Message['content'][number] {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/**
 * The events of the response, one message with one part. An empty line and the new text follow a void one, which the form cannot
 * take back; the last events have the answer alone. Where the worker finds another conversation by the history of the request,
 * those have its id: the id of the first events then leads to no conversation, and to nobody else's.
 */
function makeEvents(ctx: Ctx, sent: ResponseRequest, conversationId: string): EventForm {
  const beginning = beginningOf(ctx, sent, conversationId);
  const { response, messageId } = beginning;
  const place = { output_index: 0, content_index: 0, item_id: messageId };
  let count = 0;
  const send = (events: EventSender, type: string, fields: object) => {
    events.send({ event: type, data: { type, sequence_number: count, ...fields } });
    count += 1;
  };
  const begin = (events: EventSender) => {
    if (count > 0) return;
    send(events, 'response.created', { response });
    send(events, 'response.in_progress', { response });
    const item = messageOf(messageId, 'in_progress', []);
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
      const item = messageOf(messageId, statusOf(data), [partOf(text)]);
      send(events, 'response.output_item.done', { output_index: 0, item });
      const ended = endedOf(beginningOf(ctx, sent, data.conversationId), data);
      send(events, `response.${statusOf(data)}`, { response: ended });
    },
  };
}
