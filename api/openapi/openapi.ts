import { MAX_BODY_SIZE } from '../../queues/contract/body-limit.ts';
import { type EventTypeName, eventBodyOf, eventTypeNames, eventTypes } from '../../queues/contract/events.ts';
import { type Operation, tags } from '../../queues/contract/operation.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import type { Call } from '../call.ts';
import { SESSION_COOKIE } from '../guards/authenticate.ts';
import { healthCalls } from '../health/health-calls.ts';
import { runTests } from '../health/test-run-call.ts';
import { callTools } from '../mcp/mcp-call.ts';
import { completeChat } from '../openai/chat-call.ts';
import { createResponse } from '../openai/responses-call.ts';
import { receiveSigned } from '../signed-intake/signed-intake-call.ts';
import { siteChatCalls } from '../site-chat/site-chat-calls.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';
import { describeFailures, failureSchema, listFailureRefs } from './openapi-failures.ts';
import { parametersOf, withRights } from './openapi-parameters.ts';
import { describeHeaders, headersOf, listHeaderRefs } from './openapi-response-headers.ts';
import { reasonsOf, responsesOf, toJsonBody, withForms } from './openapi-responses.ts';

interface DocumentOptions {
  /** Whether the test endpoint is enabled. */
  readonly hasTestRun: boolean;
}

const TIMESTAMP = '2026-03-02T14:05:09.120Z';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const webhookHeaders = [
  header('webhook-id', 'Id of the delivery: the same on every attempt.'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several, separated by spaces, while a secret is rotated.',
  ),
];

const webhookResponses = {
  '2XX': { description: 'Accepted. Expected within 15 seconds; otherwise it is sent again later.' },
  410: { description: 'The receiver is gone: the webhook is disabled.' },
};

/** The OpenAPI 3.1 document, generated from the same operations and calls as the routes. */
export function openApiDocument(version: string, { hasTestRun }: DocumentOptions): Json {
  const calls: Call[] = [
    completeChat,
    createResponse,
    callTools,
    receiveSigned,
    ...siteChatCalls,
    ...Object.values(healthCalls),
  ];
  if (hasTestRun) calls.push(runTests);
  const reasons = [
    ...operationNames.map(name => reasonsOf(operationOf(name))),
    ...calls.map(({ refusals }) => refusals),
  ];
  const usedTags = Object.entries(tags).filter(([name]) => hasTestRun || name !== 'tests');
  return {
    openapi: '3.1.0',
    info: { title: 'Parley', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    tags: usedTags.map(([name, about]) => ({ name, description: about })),
    webhooks: describeWebhooks(),
    paths: {
      ...operationPaths(),
      ...Object.fromEntries(calls.map(pathOf)),
    },
    components: {
      securitySchemes: Object.assign(
        { token: bearer, session: cookie },
        ...calls.map(call => call.securitySchemes),
      ),
      schemas: { Failure: failureSchema },
      headers: describeHeaders(),
      responses: describeFailures(reasons),
    },
  };
}

const description = [
  'Multi-tenant conversational assistant: send a question, get the answer in the same call.',
  [
    '**Start here**: authorize with a token (`npm start` prints one), then',
    '1. [list the assistants of a host](#/avatars/listAvatars), which tells its id,',
    '2. [start a conversation](#/conversations/createConversation),',
    '3. [ask](#/conversations/reason), and read the answer.',
  ].join('\n'),
  'Successful responses have the form `{code, message, data}` unless their schema differs. Error responses always have it, with details for troubleshooting in `data`.',
  'Every response has the header `X-Request-Id`, the id of the request in the logs, and headers for browsers: those that this document marks with `x-on-every-response`.',
  'An optional field may be omitted or sent as `null`, with the same meaning, unless its schema allows `null` as a value.',
  'Names of fields are taken in either spelling: `host_id`, `hostId` and `HostID` are the same field, also in objects and as arguments of `/mcp`; answers, CRM records and `/v1` have the names of this document. Two spellings with unlike values are a 400. A field that the operation does not know is ignored, and named in the header `Parley-Ignored-Fields` of the response.',
  `Times are ISO 8601. Text limits count Unicode code points. Bodies are JSON of at most ${MAX_BODY_SIZE}, optionally with \`Content-Encoding: gzip\`.`,
].join('\n\n');

const bearer = {
  type: 'http',
  scheme: 'bearer',
  description:
    'Access token (`svc_…`) in the header Authorization. It determines the allowed hosts and operations.',
};

const cookie = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description:
    'Session of the console, in place of a token: set by `POST /console/sign-in`, and taken only without the header Authorization. Calls other than GET need the header `X-Parley-Console`, too.',
};

function operationPaths(): Json {
  const paths = operationNames.flatMap(name => {
    const operation = operationOf(name);
    return [operation.path, ...(operation.aliases ?? [])].map((path, at) => {
      const item =
        at === 0
          ? pathItemOf(name, operation)
          : { ...pathItemOf(`${name}Alias${at}`, operation), ...describeAlias(operation) };
      return [templateOf(path), { [operation.method.toLowerCase()]: item }];
    });
  });
  return Object.fromEntries(paths);
}

function pathItemOf(operationId: string, operation: Operation): Json {
  return {
    operationId,
    summary: operation.summary,
    description: withRights(operation),
    tags: [operation.tag],
    parameters: parametersOf(operation),
    ...(operation.method === 'POST' ? { requestBody: bodyOf(operation) } : {}),
    responses: responsesOf(operation),
    ...(operation.mayRespondAsync ? { callbacks: describeCallbacks() } : {}),
  };
}

function describeAlias(operation: Operation): Json {
  const same = `Another name of \`${templateOf(operation.path)}\`, which new clients use.`;
  return { deprecated: true, description: `${same}\n\n${withRights(operation)}` };
}

function bodyOf({ body, example, takesRecords = false }: Operation): Json {
  // A missing body counts as an empty object.
  const required = takesRecords || body.validate({}).error !== undefined;
  const described = toJsonBody(jsonSchemaOf(body), example.body, required);
  return takesRecords ? withForms(described) : described;
}

function pathOf(call: Call): [path: string, item: Json] {
  const { name, summary, description, tag, method, path, security, parameters, requestBody } = call;
  const answers = Object.entries(call.answers).map(([status, answer]) => [
    status,
    { description: 'Success', headers: listHeaderRefs(headersOf(Number(status))), ...answer },
  ]);
  const responses = { ...listFailureRefs(call.refusals), ...Object.fromEntries(answers) };
  const about = { operationId: name, summary, description, tags: [tag] };
  return [
    templateOf(path),
    { [method.toLowerCase()]: { ...about, security, parameters, requestBody, responses } },
  ];
}

/** Converts Koa's `/jobs/:jobId` to OpenAPI's `/jobs/{jobId}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function requestOf(name: EventTypeName): Json {
  const { summary, example } = eventTypes[name];
  const value = { type: name, timestamp: TIMESTAMP, data: example };
  return {
    operationId: `receive_${name.replaceAll('.', '_')}`,
    summary,
    tags: ['events'],
    security: [],
    parameters: webhookHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchemaOf(eventBodyOf(name)), example: value } },
    },
    responses: webhookResponses,
  };
}

function describeWebhooks(): Json {
  return Object.fromEntries(eventTypeNames.map(name => [name, { post: requestOf(name) }]));
}

/** Describes the callbacks of operations that accept X-Callback-Url. */
function describeCallbacks(): Json {
  const { operationId: _id, ...request } = requestOf('job.completed');
  return { jobCompleted: { '{$request.header.X-Callback-Url}': { post: request } } };
}
