import Router from '@koa/router';
import { isUuid } from '../platform/uuid.ts';
import { isFailure } from '../queues/contract/failure.ts';
import type { Operation } from '../queues/contract/operation.ts';
import { type OperationName, operationNames, operationOf } from '../queues/contract/operations/index.ts';
import type { Request } from '../queues/transport/request.ts';
import type { Call } from './call.ts';
import type { Notices } from './console/notices.ts';
import type { ApiMiddleware, State } from './context.ts';
import { chatPlaces, responsePlaces } from './documents/take-documents.ts';
import { makeAuthentication, makeScopeGuard } from './guards/authenticate.ts';
import { holdAnswer, makeBodyHold } from './guards/held-bytes.ts';
import { makeRequestPace } from './guards/rate-limit.ts';
import { makeBodyReader } from './guards/read-body.ts';
import { mapServerErrorTo503, timeLimitOf } from './guards/time-limit.ts';
import { callTools } from './mcp/mcp-call.ts';
import { makeToolServer } from './mcp/tool-server.ts';
import { completeChat } from './openai/chat-call.ts';
import { makeChat } from './openai/chat-route.ts';
import { createResponse } from './openai/responses-call.ts';
import { makeResponses } from './openai/responses-route.ts';
import { readCallback } from './replies/callback.ts';
import { sendOutcome } from './replies/envelope.ts';
import { makeJobFinder } from './replies/find-job.ts';
import { streamAnswer } from './replies/stream-answer.ts';
import { type Ask, bytePlacesOf, makeAsk, type RouteParts, readRequest, storeBytes } from './request.ts';
import { wantsStream } from './request-options.ts';
import { runInRequestSpan } from './request-span.ts';
import { makeSignedIntake } from './signed-intake/signed-intake.ts';
import { receiveSigned } from './signed-intake/signed-intake-call.ts';
import { makePreflight, makeSiteChat, type SiteChatParts } from './site-chat/site-chat.ts';
import { siteChatCalls } from './site-chat/site-chat-calls.ts';

/**
 * Makes a route for each operation, with its guards in this order; and one each for turns of OpenAI clients, MCP clients and
 * signed records.
 */
export function makeOperationRoutes(parts: SiteChatParts): Router<State> {
  const router = new Router<State>();
  const pace = makeRequestPace();
  const ask = tellChanges(makeAsk(parts.dispatcher), parts.notices);
  const guardsOf = (operation: Operation, bytePlaces = bytePlacesOf(operation)): ApiMiddleware[] => {
    const { takesRecords } = operation;
    const limits = {
      ...timeLimitOf(operation, parts.timeoutMs),
      hasExactIntegers: takesRecords,
      takesForms: takesRecords,
      bytePlaces,
    };
    const body = operation.method === 'POST' ? [makeBodyReader(limits)] : [];
    const rights = [makeAuthentication(parts.findToken), parts.rateLimit, makeScopeGuard(operation)];
    return [...rights, pace, makeBodyHold(parts.heldBytes, operation), ...body];
  };
  const findJob = makeJobFinder(parts, ask);
  for (const name of operationNames) {
    const operation = operationOf(name);
    const last: ApiMiddleware =
      name === 'findJob'
        ? async ctx => sendOutcome(ctx, await findJob(ctx, readRequest(ctx, name, parts)))
        : makeDispatchMiddleware(name, parts, ask);
    const noteOperation: ApiMiddleware = (ctx, next) => {
      ctx.state.operation = name;
      return next();
    };
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      router.register(path, [operation.method], [...guardsOf(operation), noteOperation, last] as never);
    }
  }
  const register = ({ path, method }: Call, steps: ApiMiddleware[]) =>
    router.register(path, [method], steps as never);
  register(completeChat, [...guardsOf(operationOf('reason'), chatPlaces), makeChat(parts, ask)]);
  register(createResponse, [...guardsOf(operationOf('reason'), responsePlaces), makeResponses(parts, ask)]);
  register(callTools, [
    makeAuthentication(parts.findToken),
    parts.rateLimit,
    pace,
    makeBodyHold(parts.heldBytes, {}),
    makeBodyReader({ timeLimitMs: parts.timeoutMs, timeoutRefusal: 'deadline', hasExactIntegers: true }),
    makeToolServer(parts, { ask, findJob }),
  ]);
  register(receiveSigned, makeSignedIntake(parts, pace));
  const ofSite = makeSiteChat(parts, ask, pace);
  const preflight = makePreflight(parts);
  for (const [at, call] of siteChatCalls.entries()) {
    router.register(call.path, ['OPTIONS'], [preflight] as never);
    register(call, ofSite.slice(at, at + 1));
  }
  return router;
}

function makeDispatchMiddleware(name: OperationName, parts: RouteParts, ask: Ask): ApiMiddleware {
  const work: ApiMiddleware = async ctx => {
    const operation = operationOf(name);
    const sent = await readCallback(ctx, readRequest(ctx, name, parts), parts.findCallback);
    const request = await storeBytes(ctx, sent, parts);
    if (!request.isAsync && operation.largestAnswer !== undefined)
      await holdAnswer(ctx, parts.heldBytes, operation.largestAnswer, request.clientGone);
    if (!request.isAsync && wantsStream(ctx, operation)) return streamAnswer(ctx, request, ask);
    if (!request.isAsync) {
      return sendOutcome(ctx, mapServerErrorTo503(operation, await ask(request)), operation.responseForm);
    }
    const outcome = await parts.dispatcher.enqueue(request);
    if (isFailure(outcome)) return sendOutcome(ctx, outcome);
    notifyAsked(request, parts.notices);
    ctx.set('Location', `/jobs/${outcome.data.jobId}`);
    ctx.set('Preference-Applied', 'respond-async');
    sendOutcome(ctx, { code: 202, data: { jobId: outcome.data.jobId, state: 'queued' } });
  };
  return (ctx, next) => runInRequestSpan(ctx, name, async () => work(ctx, next));
}

/** These operations change who may be signed in. */
const rightsOperations = ['savePerson', 'endSessions'];

/** Wraps `ask` so that pages of the console hear of questions and of changes. */
function tellChanges(ask: Ask, notices: Notices): Ask {
  return async request => {
    notifyAsked(request, notices);
    const outcome = await ask(request);
    const [hostId = ''] = request.caller.hostIds;
    const conversationId = changedConversationOf(request);
    // A question is stored even if it gets no answer.
    const isStored = !isFailure(outcome) || request.operation === 'reason';
    if (conversationId !== undefined && isStored) notices.tell({ kind: 'changed', hostId, conversationId });
    if (rightsOperations.includes(request.operation) && !isFailure(outcome))
      notices.tell({ kind: 'rights', hostId });
    return outcome;
  };
}

/** Tells of a question when it goes to the queue: the worker that takes it stores it. */
function notifyAsked(request: Request, notices: Notices): void {
  const [hostId = ''] = request.caller.hostIds;
  const conversationId = changedConversationOf(request);
  if (conversationId !== undefined && request.operation === 'reason')
    notices.tell({ kind: 'asked', hostId, conversationId });
}

function changedConversationOf({ operation, caller, body, chat }: Request): string | undefined {
  if (operationOf(operation as OperationName).effect === 'reads' || caller.hostIds.length !== 1)
    return undefined;
  const named = body as { readonly conversationId?: unknown };
  const conversationId = chat?.conversationId ?? named.conversationId;
  return typeof conversationId === 'string' && isUuid(conversationId) ? conversationId : undefined;
}
