import { type ChatRequest, chatRequest } from '../../queues/contract/chat-completion.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { uploadAttachments } from '../documents/upload-attachments.ts';
import { enabledHostsOf, tokenOf } from '../guards/authenticate.ts';
import { callerOf } from '../guards/host-choice.ts';
import { validateBody } from '../guards/validate.ts';
import { type Ask, jobRequestFrom, type RouteParts } from '../job-request.ts';
import { RefusalError, sendOutcome } from '../replies/envelope.ts';
import { turnDataOf } from '../replies/reason-data.ts';
import { readRequestOptions } from '../request-options.ts';
import { runInRequestSpan } from '../request-span.ts';
import { type ChatIds, chatCompletionOf } from './chat-completion.ts';
import { streamChat } from './chat-stream.ts';
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

/** A refusal with the names that the fields have in the request. */
function namePaths(outcome: Outcome<unknown>, pathOf: (at: number) => string): Outcome<unknown> {
  if (!isFailure(outcome) || !outcome.data?.fields) return outcome;
  const nameOf = (path: string) => path.replace(/^attachments\[(\d)\]$/, (_path, at) => pathOf(Number(at)));
  const fields = outcome.data.fields.map(({ path, message }) => ({ path: nameOf(path), message }));
  return { ...outcome, data: { ...outcome.data, fields } };
}

interface ChatTurnRequest extends Pick<ChatTurn, 'attachmentPaths' | 'digests'> {
  readonly request: JobRequest;
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
    ...jobRequestFrom(ctx, 'reason', caller, { hostId, ...body }, parts),
    ...(opensConversation ? { opensConversation } : {}),
    ...options,
  };
  return { request, ...rest };
}

/**
 * The host that `model` names, or the only one that is enabled, as in the list of models. Another token's host is as unknown
 * as one that does not exist.
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
