import { type ChatCompletion, type ChatRequest, chatRequest } from '../../queues/contract/chat-completion.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { type DataOf, operationOf } from '../../queues/contract/operations/index.ts';
import type { Request } from '../../queues/transport/request.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { uploadAttachments } from '../documents/store-uploads.ts';
import { enabledHostsOf, tokenOf } from '../guards/authenticate.ts';
import { callerOf } from '../guards/host-choice.ts';
import { validateBody } from '../guards/validate.ts';
import { errorOf, RefusalError, sendOutcome } from '../replies/envelope.ts';
import type { EventSender } from '../replies/event-sender.ts';
import { streamTurn, turnDataOf } from '../replies/stream-answer.ts';
import { type Ask, makeRequest, type RouteParts } from '../request.ts';
import { readRequestOptions } from '../request-options.ts';
import { runInRequestSpan } from '../request-span.ts';
import { NEW_TEXT_MARK } from './chat-history.ts';
import { type ChatTurn, chatTurnOf, readModelName } from './chat-turn.ts';

/** `POST /v1/chat/completions`: a turn of the reasoning operation, in the form of OpenAI. */
export function makeChat(parts: RouteParts, ask: Ask): ApiMiddleware {
  const work: ApiMiddleware = async ctx => {
    const chat = validateBody(ctx, chatRequest, ctx.state.body);
    const { request: sent, digests, attachmentPaths } = turnRequestOf(ctx, chat, parts);
    const pathOf = (at: number) => attachmentPaths[at] ?? `attachments[${at}]`;
    const followed = digests ? await parts.followChat(sent, digests) : sent;
    const request = await uploadAttachments(ctx, followed, parts.storeAttachments, pathOf);
    const askNamed: Ask = async asked => namePaths(await ask(asked), pathOf);
    const ids = idsOf(ctx, chat);
    if (chat.stream)
      return streamChat(ctx, request, askNamed, { ids, hasUsage: chat.stream_options?.include_usage });
    const outcome = await askNamed(request);
    if (isFailure(outcome)) return sendOutcome(ctx, outcome);
    ctx.status = 200;
    ctx.body = chatCompletionOf(ids, turnDataOf(outcome));
  };
  return (ctx, next) => runInRequestSpan(ctx, 'reason', async () => work(ctx, next));
}

/** Renames the fields of a refusal as they are in the request. */
function namePaths(outcome: Outcome<unknown>, pathOf: (at: number) => string): Outcome<unknown> {
  if (!isFailure(outcome) || !outcome.data?.fields) return outcome;
  const nameOf = (path: string) => path.replace(/^attachments\[(\d)\]$/, (_path, at) => pathOf(Number(at)));
  const fields = outcome.data.fields.map(error => ({ ...error, path: nameOf(error.path) }));
  return { ...outcome, data: { ...outcome.data, fields } };
}

interface ChatTurnRequest extends Pick<ChatTurn, 'attachmentPaths' | 'digests'> {
  readonly request: Request;
}

function turnRequestOf(ctx: Ctx, chat: ChatRequest, parts: RouteParts): ChatTurnRequest {
  const operation = operationOf('reason');
  ctx.state.operation = 'reason';
  const caller = callerOf(ctx, operation, hostChoiceOf(ctx, chat));
  const [hostId = ''] = caller.hostIds;
  const { isAsync: _async, ...options } = readRequestOptions(ctx, operation);
  const { documents } = ctx.state;
  const turn = chatTurnOf(caller, chat, documents, options.idempotencyKey);
  const { body, opensConversation, ...rest } = turn;
  const request = {
    ...makeRequest(ctx, 'reason', caller, { hostId, ...body }, parts),
    ...(opensConversation ? { opensConversation } : {}),
    ...options,
  };
  return { request, ...rest };
}

/**
 * The host that `model` names, or the only enabled one, as in the list of models. The host of another token is like one that does
 * not exist.
 */
function hostChoiceOf(ctx: Ctx, { model }: ChatRequest): { choosenHostId?: string } {
  const { hostSlug } = readModelName(model);
  const token = tokenOf(ctx);
  if (hostSlug === undefined) {
    const [only, ...others] = enabledHostsOf(token, operationOf('reason'));
    const isOnly = others.length === 0 && !ctx.get('x-choosen-host-id');
    return only && isOnly ? { choosenHostId: only.host_id } : {};
  }
  const host = token.hosts.find(({ host_slug }) => host_slug === hostSlug);
  if (!host) throw new RefusalError(failure('avatar-not-found'));
  return { choosenHostId: host.host_id };
}

function idsOf(ctx: Ctx, { model }: ChatRequest): ChatIds {
  return {
    id: `chatcmpl-${ctx.state.requestId}`,
    created: Math.floor(ctx.state.arrivedAt / 1_000),
    model,
  };
}

interface ChatStreamOptions {
  readonly ids: ChatIds;
  readonly hasUsage: boolean | undefined;
}

/**
 * Sends the answer in chunks of OpenAI's form. That form cannot take a text back: an empty line and the new text follow a void
 * one.
 */
function streamChat(
  ctx: Ctx,
  request: Request,
  ask: Ask,
  { ids, hasUsage }: ChatStreamOptions,
): Promise<void> {
  let isBegun = false;
  const begin = (events: EventSender) => {
    if (!isBegun) events.send({ data: chatChunkOf(ids, { role: 'assistant', content: '' }) });
    isBegun = true;
  };
  return streamTurn(ctx, request, ask, {
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
        if (hasUsage) events.send({ data: usageChunkOf(ids, data) });
        events.sendLine('data: [DONE]');
      }
    },
  });
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

/** One chunk of a stream. */
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

/**
 * Counts the tokens of the calls that produced the answer, like `tokensControl`. A receipt of an earlier version does not divide
 * them.
 */
function usageOf({ svcCompleteLog }: DataOf<'reason'>) {
  const answered = svcCompleteLog.flatMap(({ modelCalls }) => modelCalls.filter(({ tokens }) => tokens > 0));
  const prompt = answered.reduce((sum, call) => sum + (call.input_tokens ?? call.tokens), 0);
  const completion = answered.reduce((sum, call) => sum + (call.output_tokens ?? 0), 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function parleyOf(data: DataOf<'reason'>) {
  const { conversationId, svcCompleteLog, assistantResponse, choices, askHumanHelp, sources } = data;
  const turnId = svcCompleteLog[0]?.turnId ?? '';
  const { wppParsed } = assistantResponse;
  return { conversationId, turnId, wppParsed, ...(choices ? { choices } : {}), askHumanHelp, sources };
}
