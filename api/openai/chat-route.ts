import { type ChatRequest, chatRequest } from '../../queues/contract/chat-completion.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import type { Ask } from '../ask.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { tokenOf } from '../guards/authenticate.ts';
import { callerOf } from '../guards/host-choice.ts';
import { validateBody } from '../guards/validate.ts';
import { jobRequestFrom, type RouteParts } from '../job-request.ts';
import { RefusalError, sendOutcome } from '../replies/envelope.ts';
import { turnDataOf } from '../replies/reason-data.ts';
import { readRequestOptions } from '../request-options.ts';
import { runInRequestSpan } from '../request-span.ts';
import { type ChatIds, chatCompletionOf } from './chat-completion.ts';
import { streamChat } from './chat-stream.ts';
import { chatTurnOf, readModelName } from './chat-turn.ts';

/** `POST /v1/chat/completions`: a turn of the reasoning operation, in the form of OpenAI. */
export function makeChat(parts: RouteParts, ask: Ask): ApiMiddleware {
  const work: ApiMiddleware = async ctx => {
    const chat = validateBody(ctx, chatRequest, ctx.state.body);
    const request = turnRequestOf(ctx, chat, parts);
    const ids = idsOf(ctx, chat);
    if (chat.stream)
      return streamChat(ctx, request, ask, { ids, hasUsage: chat.stream_options?.include_usage });
    const outcome = await ask(request);
    if (isFailure(outcome)) return sendOutcome(ctx, outcome);
    ctx.status = 200;
    ctx.body = chatCompletionOf(ids, turnDataOf(outcome));
  };
  return (ctx, next) => runInRequestSpan(ctx, 'reason', async () => work(ctx, next));
}

function turnRequestOf(ctx: Ctx, chat: ChatRequest, parts: RouteParts): JobRequest {
  const operation = operationOf('reason');
  ctx.state.operation = 'reason';
  const caller = callerOf(ctx, operation, hostChoiceOf(ctx, chat));
  const [hostId = ''] = caller.hostIds;
  const { isAsync: _async, ...options } = readRequestOptions(ctx, operation);
  const { body, opensConversation } = chatTurnOf(hostId, chat, options.idempotencyKey);
  return {
    ...jobRequestFrom(ctx, 'reason', caller, { hostId, ...body }, parts),
    ...(opensConversation ? { opensConversation } : {}),
    ...options,
  };
}

/**
 * The host that `model` names, or the only one, as in the list of models. Another token's host is as unknown as one that
 * does not exist.
 */
function hostChoiceOf(ctx: Ctx, { model }: ChatRequest): { choosenHostId?: string } {
  const { hostSlug } = readModelName(model);
  const { hosts } = tokenOf(ctx);
  const [only] = hosts;
  if (hostSlug === undefined)
    return only && hosts.length === 1 && !ctx.get('x-choosen-host-id') ? { choosenHostId: only.host_id } : {};
  const host = hosts.find(({ host_slug }) => host_slug === hostSlug);
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
