import type { ChatRequest } from '../../queues/contract/chat-completion.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { type DataOf, operationOf } from '../../queues/contract/operations/index.ts';
import type { ResponsePlace } from '../../queues/contract/response-form.ts';
import type { Shape } from '../../queues/contract/shape.ts';
import type { Request } from '../../queues/transport/request.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { uploadAttachments } from '../documents/store-uploads.ts';
import { enabledHostsOf, tokenOf } from '../guards/authenticate.ts';
import { callerOf } from '../guards/host-choice.ts';
import { validateBody } from '../guards/validate.ts';
import { RefusalError, sendOutcome } from '../replies/envelope.ts';
import { type EventForm, streamTurn, turnDataOf } from '../replies/stream-answer.ts';
import { type Ask, makeRequest, type RouteParts } from '../request.ts';
import { readRequestOptions } from '../request-options.ts';
import { runInRequestSpan } from '../request-span.ts';
import { type ChatTurn, chatTurnOf, readModelName } from './chat-turn.ts';

/** One of OpenAI's forms of a request and its answer. */
export interface OpenAiForm<T extends { readonly stream?: boolean | null | undefined }> {
  readonly shape: Shape<T>;
  toChat(sent: T): AskedChat;
  answerOf(ctx: Ctx, sent: T, data: DataOf<'reason'>, jobId: string): object;
  /** The conversation is most likely the one of the answer. */
  makeEvents(ctx: Ctx, sent: T, likely: ResponsePlace): EventForm;
}

export interface AskedChat {
  readonly chat: ChatRequest;
  /** Where a field of the chat is in the request. */
  pathOf(path: string): string;
}

/** A turn of the reasoning operation, in one of OpenAI's forms. */
export function makeTurnRoute<T extends { readonly stream?: boolean | null | undefined }>(
  parts: RouteParts,
  ask: Ask,
  form: OpenAiForm<T>,
): ApiMiddleware {
  const work: ApiMiddleware = async ctx => {
    const sent = validateBody(ctx, form.shape, ctx.state.body);
    const asked = form.toChat(sent);
    const { request: made, digests, attachmentPaths } = turnRequestOf(ctx, asked, parts);
    const pathOf = (at: number) => attachmentPaths[at] ?? `attachments[${at}]`;
    const followed = digests ? await parts.followChat(made, digests) : made;
    const uploaded = await uploadAttachments(ctx, followed, parts.storeAttachments, pathOf);
    const request = parts.dispatcher.nameJob(uploaded);
    const { jobId } = request;
    const nameOf = (path: string) => path.replace(/^attachments\[(\d)\]$/, (_path, at) => pathOf(Number(at)));
    const askNamed: Ask = async asking => namePaths(await ask(asking), nameOf);
    const { conversationId = '' } = request.body as { readonly conversationId?: string };
    if (sent.stream)
      return streamTurn(ctx, request, askNamed, form.makeEvents(ctx, sent, { conversationId, jobId }));
    const outcome = await askNamed(request);
    if (isFailure(outcome)) return sendOutcome(ctx, outcome);
    ctx.status = 200;
    ctx.body = form.answerOf(ctx, sent, turnDataOf(outcome), jobId);
  };
  return (ctx, next) => runInRequestSpan(ctx, 'reason', async () => work(ctx, next));
}

/** Renames the fields of a refusal as they are in the request. */
function namePaths<T extends Outcome<unknown>>(outcome: T, nameOf: (path: string) => string): T {
  if (!isFailure(outcome) || !outcome.data?.fields) return outcome;
  const fields = outcome.data.fields.map(error => ({ ...error, path: nameOf(error.path) }));
  return { ...outcome, data: { ...outcome.data, fields } };
}

interface ChatTurnRequest extends Pick<ChatTurn, 'attachmentPaths' | 'digests'> {
  readonly request: Request;
}

function turnRequestOf(ctx: Ctx, { chat, pathOf }: AskedChat, parts: RouteParts): ChatTurnRequest {
  const operation = operationOf('reason');
  ctx.state.operation = 'reason';
  const caller = callerOf(ctx, operation, hostChoiceOf(ctx, chat));
  const [hostId = ''] = caller.hostIds;
  const { isAsync: _async, ...options } = readRequestOptions(ctx, operation);
  const { documents } = ctx.state;
  const turn = withPaths(() => chatTurnOf(caller, chat, documents, options.idempotencyKey), pathOf);
  const { body, opensConversation, digests, attachmentPaths } = turn;
  const request = {
    ...makeRequest(ctx, 'reason', caller, { hostId, ...body }, parts),
    ...(opensConversation ? { opensConversation } : {}),
    ...options,
  };
  return { request, digests, attachmentPaths: attachmentPaths.map(pathOf) };
}

/** Throws a refusal with the names that its fields have in the request. */
function withPaths<T>(work: () => T, pathOf: (path: string) => string): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RefusalError ? new RefusalError(namePaths(error.failure, pathOf)) : error;
  }
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
