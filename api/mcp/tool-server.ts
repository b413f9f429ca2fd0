import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import type { Token } from '../../db/hosts/tokens.ts';
import { isJsonObject, withoutNulls } from '../../platform/json-object.ts';
import { joinPieces, RawJson } from '../../platform/raw-json.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { Operation } from '../../queues/contract/operation.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { takeDocuments } from '../documents/take-documents.ts';
import { assertMayCall, findMissingRight, tokenOf } from '../guards/authenticate.ts';
import { holdAnswer } from '../guards/held-bytes.ts';
import { mapServerErrorTo503 } from '../guards/time-limit.ts';
import { refuseField } from '../guards/validate.ts';
import { jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { errorOf, RefusalError } from '../replies/envelope.ts';
import type { JobFinder } from '../replies/find-job.ts';
import { type Ask, bytePlacesOf, type RouteParts, storeBytes, validateRequest } from '../request.ts';
import { makeGoneSignal } from '../request-options.ts';
import { runInRequestSpan } from '../request-span.ts';

/*
 * `/mcp`: the operations as tools of the Model Context Protocol, over streamable HTTP. Each request stands alone: there are
 * no sessions, and no stream that outlives its request. A call passes the checks of its operation, and becomes the same job.
 */

interface Answering {
  readonly ask: Ask;
  readonly findJob: JobFinder;
}

interface CallParts {
  readonly parts: RouteParts;
  readonly answering: Answering;
}

type Sent = Record<string, unknown>;

/** Clients that list tools see this many hosts; more would only fill their context. */
const MAX_HOSTS_TOLD = 20;

/** Keyed by the name of the operation. A tool takes an object, so an operation whose body may be another value is left out. */
const tools: ReadonlyMap<string, OperationTool> = new Map(
  operationNames.flatMap(name => {
    const operation = operationOf(name);
    const { type, ...schema } = jsonSchemaOf(operation.body);
    if (type !== 'object') return [];
    return [[name, { operation, tool: toolOf(name, operation, { type, ...schema }) }] as const];
  }),
);

/**
 * All tools of a token that manages are 113 KB of schemas, more than most clients handle well; these presets hold the tools of
 * daily work.
 */
const presets: Readonly<Record<string, readonly OperationName[]>> = {
  'manage-basic': [
    'listAvatars',
    'readAvatar',
    'editAvatar',
    'createSubAvatar',
    'listDatasets',
    'createDataset',
    'editDataset',
    'linkDatasetAvatar',
    'importDocument',
    'listDocuments',
    'findJob',
    'readChunks',
    'createChunk',
    'editChunk',
    'reason',
  ],
};

/** The names of the tools that the request asks for; undefined: all. */
function presetOf({ query: { tools: name } }: Ctx): readonly string[] | undefined {
  if (name === undefined) return undefined;
  const isKnown = typeof name === 'string' && Object.hasOwn(presets, name);
  const values = Object.keys(presets);
  if (!isKnown) refuseField('tools', 'one-of', { values, message: `must be ${values.join(' or ')}` });
  return presets[name];
}

export function makeToolServer(parts: RouteParts, answering: Answering): ApiMiddleware {
  return async ctx => {
    const { body } = ctx.state;
    presetOf(ctx);
    // A request counts once against the limits, so it may call only one tool.
    const message = 'must be one message: batches are not supported';
    if (Array.isArray(body)) refuseField('', 'type', message);
    const gone = (ctx.state.gone ??= makeGoneSignal(ctx));
    const handler = createMcpHandler(() => serverOf(ctx, parts, answering), { maxSubscriptions: 0 });
    const request = new Request(new URL(ctx.path, 'http://parley'), {
      method: 'POST',
      headers: headersOf(ctx),
      signal: gone,
    });
    await sendResponse(ctx, await handler.fetch(request, { parsedBody: messageOf(body) }));
  };
}

/** Null counts as absent around the call; within the arguments, the operation decides. */
function messageOf(body: unknown): unknown {
  if (!isJsonObject(body)) return body ?? {};
  const { params, ...message } = body;
  if (!isJsonObject(params)) return withoutNulls(body);
  const { arguments: sent, ...about } = params;
  return { ...message, params: { ...withoutNulls(about), ...(sent === null ? {} : { arguments: sent }) } };
}

function serverOf(ctx: Ctx, parts: RouteParts, answering: Answering): Server {
  const token = tokenOf(ctx);
  const server = new Server(
    { name: 'parley', title: 'Parley', version: parts.version },
    { capabilities: { tools: {} }, instructions: instructionsOf(token) },
  );
  const preset = presetOf(ctx);
  server.setRequestHandler('tools/list', () => ({ tools: listTools(token, preset) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: sent = {} } }) => {
    if (!isTool(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return resultOf(ctx, await callTool(ctx, name, sent, { parts, answering }));
  });
  return server;
}

function instructionsOf({ hosts }: Token): string {
  const told = hosts.filter(({ disabled }) => !disabled).slice(0, MAX_HOSTS_TOLD);
  const names = told.map(({ host_id, host_slug }) => `${host_slug} = ${host_id}`).join(', ');
  return `The tools work on these hosts; hostId and choosenHostId are ids of them: ${names}.`;
}

/** Each refusal becomes a result of the tool, so that the model can read it. */
async function callTool(
  ctx: Ctx,
  name: OperationName,
  sent: Sent,
  { parts, answering }: CallParts,
): Promise<Outcome<unknown>> {
  ctx.state.operation = name;
  try {
    return await runInRequestSpan(ctx, name, () => answer(ctx, name, sent, { parts, answering }));
  } catch (error) {
    if (error instanceof RefusalError) return error.failure;
    // The response may have begun, so the error middleware cannot send this one.
    parts.onBug(error, ctx.state.requestId);
    return failure('internal');
  }
}

async function answer(
  ctx: Ctx,
  name: OperationName,
  sent: Sent,
  { parts, answering }: CallParts,
): Promise<Outcome<unknown>> {
  const operation = operationOf(name);
  assertMayCall(tokenOf(ctx), operation);
  const places = bytePlacesOf(operation);
  // The body reader for HTTP does the same.
  if (places) ctx.state.documents = await takeDocuments(sent, places);
  const { isAsync: _async, ...asked } = validateRequest(ctx, name, sent, parts);
  const request = await storeBytes(ctx, asked, parts);
  if (operation.largestAnswer !== undefined)
    await holdAnswer(ctx, parts.heldBytes, operation.largestAnswer, request.clientGone);
  const ask =
    name === 'findJob' ? answering.findJob : (_ctx: Ctx, sent: typeof request) => answering.ask(sent);
  return mapServerErrorTo503(operation, await ask(ctx, request));
}

function resultOf(ctx: Ctx, outcome: Outcome<unknown>): CallToolResult {
  if (isFailure(outcome)) return { ...textOf(JSON.stringify(errorOf(ctx, outcome))), isError: true };
  const { data } = outcome;
  const text = data instanceof RawJson ? joinPieces(data.pieces).toString() : JSON.stringify(data);
  const { ignoredFields } = ctx.state;
  if (!ignoredFields) return textOf(text);
  // The model does not see headers.
  const told = `Ignored, because the tool has no such arguments: ${ignoredFields.join(', ')}.`;
  return { content: [...textOf(text).content, { type: 'text', text: told }] };
}

function textOf(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** Drops the headers about the body, which was parsed already. */
function headersOf({ req: { headers } }: Ctx): Headers {
  const kept = Object.entries(headers).filter(
    ([name]) => !name.startsWith('content-') || name === 'content-type',
  );
  return new Headers(kept.map(([name, value]) => [name, String(value)]));
}

async function sendResponse(ctx: Ctx, response: Response): Promise<void> {
  ctx.status = response.status;
  for (const [name, value] of response.headers) ctx.set(name, value);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    ctx.body = Buffer.from(await response.arrayBuffer());
    return;
  }
  // nginx and similar proxies must not buffer this.
  ctx.set('X-Accel-Buffering', 'no');
  // Koa must not write this response.
  ctx.respond = false;
  ctx.res.flushHeaders();
  // A disconnected client gets nothing more, and the call ends soon.
  for await (const bytes of response.body ?? []) ctx.res.write(bytes);
  ctx.res.end();
}

interface OperationTool {
  readonly operation: Operation;
  readonly tool: Tool;
}

/** Lists the operations of the preset for which the token has the rights. */
function listTools(token: Token, preset: readonly string[] | undefined): Tool[] {
  const theirs = [...tools.values()].filter(
    ({ operation, tool: { name } }) =>
      !findMissingRight(token, operation) && (preset?.includes(name) ?? true),
  );
  return theirs.map(({ tool }) => tool);
}

function isTool(name: string): name is OperationName {
  return tools.has(name);
}

function toolOf(
  name: OperationName,
  { summary, description, effect }: Operation,
  inputSchema: Tool['inputSchema'],
): Tool {
  return {
    name,
    title: summary,
    description: description === undefined ? summary : `${summary}. ${description}`,
    inputSchema,
    annotations: { readOnlyHint: effect === 'reads', destructiveHint: effect === 'changes' },
  };
}
