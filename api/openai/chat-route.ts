import { type ChatCompletion, type ChatRequest, chatRequest } from '../../queues/contract/chat-completion.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { tokensOf } from '../../queues/contract/response-form.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { errorOf } from '../replies/envelope.ts';
import type { EventSender } from '../replies/event-sender.ts';
import { type EventForm, turnDataOf } from '../replies/stream-answer.ts';
import type { Ask, RouteParts } from '../request.ts';
import { NEW_TEXT_MARK } from './chat-history.ts';
import { makeTurnRoute, type OpenAiForm } from './turn-route.ts';

const form: OpenAiForm<ChatRequest> = {
  shape: chatRequest,
  toChat: chat => ({ chat, pathOf: path => path }),
  answerOf: (ctx, chat, data) => chatCompletionOf(idsOf(ctx, chat), data),
  makeEvents: makeChunks,
};

export function makeChat(parts: RouteParts, ask: Ask): ApiMiddleware {
  return makeTurnRoute(parts, ask, form);
}

function idsOf(ctx: Ctx, { model }: ChatRequest): ChatIds {
  return {
    id: `chatcmpl-${ctx.state.requestId}`,
    created: Math.floor(ctx.state.arrivedAt / 1_000),
    model,
  };
}

/**
 * Sends the answer in chunks of OpenAI's form. That form cannot take a text back: an empty line and the new text follow a void
 * one.
 */
function makeChunks(ctx: Ctx, chat: ChatRequest): EventForm {
  const ids = idsOf(ctx, chat);
  let isBegun = false;
  const begin = (events: EventSender) => {
    if (!isBegun) events.send({ data: chatChunkOf(ids, { role: 'assistant', content: '' }) });
    isBegun = true;
  };
  return {
    sendChange(events, { kind, text }) {
      begin(events);
      const content = kind === 'replace' ? `${NEW_TEXT_MARK}${text}` : text;
      events.send({ data: chatChunkOf(ids, { content }) });
    },
    sendEnd(events, outcome) {
      if (isFailure(outcome)) events.send({ data: errorOf(ctx, outcome) });
      else {
        const data = turnDataOf(outcome);
        // This begins even an empty answer: clients take the role from the first chunk.
        begin(events);
        events.send({ data: lastChunkOf(ids, data) });
        if (chat.stream_options?.include_usage) events.send({ data: usageChunkOf(ids, data) });
        events.sendLine('data: [DONE]');
      }
    },
  };
}

/** Shared by all chunks of one answer. */
interface ChatIds {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function chatCompletionOf(ids: ChatIds, data: DataOf<'reason'>): ChatCompletion {
  const message = { role: 'assistant' as const, content: data.assistantResponse.string, refusal: null };
  return {
    ...ids,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(data) }],
    usage: usageOf(data),
    parley: parleyOf(data),
  };
}

type FinishReason = ChatCompletion['choices'][number]['finish_reason'];

function finishReasonOf({ truncated }: DataOf<'reason'>): FinishReason {
  return truncated ? 'length' : 'stop';
}

function chatChunkOf(ids: ChatIds, delta: object, finishReason: FinishReason | null = null) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return { ...ids, object: 'chat.completion.chunk', choices };
}

/** The chunk that ends the answer, with the fields that only Parley has. */
function lastChunkOf(ids: ChatIds, data: DataOf<'reason'>) {
  return { ...chatChunkOf(ids, {}, finishReasonOf(data)), parley: parleyOf(data) };
}

function usageChunkOf(ids: ChatIds, data: DataOf<'reason'>) {
  return { ...ids, object: 'chat.completion.chunk', choices: [], usage: usageOf(data) };
}

function usageOf(data: DataOf<'reason'>) {
  const { input, output } = tokensOf(callsOf(data));
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

export function callsOf({ svcCompleteLog }: DataOf<'reason'>) {
  return svcCompleteLog.flatMap(({ modelCalls }) => modelCalls);
}

export function parleyOf(data: DataOf<'reason'>) {
  const { conversationId, svcCompleteLog, assistantResponse, choices, askHumanHelp, sources } = data;
  const turnId = svcCompleteLog[0]?.turnId ?? '';
  const { wppParsed } = assistantResponse;
  return { conversationId, turnId, wppParsed, ...(choices ? { choices } : {}), askHumanHelp, sources };
}
