import { MAX_BODY_SIZE } from '../queues/contract/body-limit.ts';
import type { Operation } from '../queues/contract/operation.ts';
import { operationNames, operationOf } from '../queues/contract/operations/index.ts';
import { tags } from '../queues/contract/tags.ts';
import { bodyBounds } from './json-bounds.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';
import { describeChatPath } from './openapi-chat.ts';
import { describeFailures, failureSchema } from './openapi-failures.ts';
import { describeHealthPaths, healthReasons } from './openapi-health.ts';
import { parametersOf } from './openapi-parameters.ts';
import { describeHeaders } from './openapi-response-headers.ts';
import { reasonsOf, responsesOf } from './openapi-responses.ts';
import { describeSignedIntakePath, signatureSchemes, signedIntakeReasons } from './openapi-signed-intake.ts';
import { describeTestRunPath, testRunReasons, testTokenSchemes } from './openapi-test-run.ts';
import { describeCallbacks, describeWebhooks } from './openapi-webhooks.ts';

interface DocumentOptions {
  /** Whether the test endpoint is enabled. */
  readonly hasTestRun: boolean;
}

/** The OpenAPI 3.1 document, generated from the same operations as the routes. */
export function openApiDocument(version: string, { hasTestRun }: DocumentOptions): Json {
  const reasons = [
    ...operationNames.map(name => reasonsOf(operationOf(name))),
    signedIntakeReasons,
    healthReasons,
  ];
  const usedTags = Object.entries(tags).filter(([name]) => hasTestRun || name !== 'tests');
  return {
    openapi: '3.1.0',
    info: { title: 'Parley', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: usedTags.map(([name, about]) => ({ name, description: about })),
    webhooks: describeWebhooks(),
    paths: {
      ...operationPaths(),
      ...describeChatPath(allowExtraFields),
      ...describeSignedIntakePath(),
      ...describeHealthPaths(),
      ...(hasTestRun ? describeTestRunPath() : {}),
    },
    components: {
      securitySchemes: { token: bearer, ...signatureSchemes, ...(hasTestRun ? testTokenSchemes : {}) },
      schemas: { Failure: failureSchema },
      headers: describeHeaders(),
      responses: describeFailures(hasTestRun ? [...reasons, testRunReasons] : reasons),
    },
  };
}

const description = [
  'Multi-tenant conversational assistant: send a question, get the answer in the same call.',
  'Successful responses have the form `{code, message, data}` unless their schema differs. Error responses always have it, with details for troubleshooting in `data`.',
  'An optional field may be omitted or sent as `null`, with the same meaning, unless its schema allows `null` as a value.',
  `Times are ISO 8601. Text limits count Unicode code points. Bodies are JSON of at most ${MAX_BODY_SIZE}, optionally with \`Content-Encoding: gzip\`.`,
].join('\n\n');

const bearer = {
  type: 'http',
  scheme: 'bearer',
  description:
    'Access token (`svc_…`) in the header Authorization. It determines the allowed hosts and operations.',
};

function operationPaths(): Json {
  const paths = operationNames.flatMap(name => {
    const operation = operationOf(name);
    return [operation.path, ...(operation.aliases ?? [])].map((path, at) => {
      const id = at === 0 ? name : `${name}Alias${at}`;
      return [templateOf(path), { [operation.method.toLowerCase()]: pathItemOf(id, operation) }];
    });
  });
  return Object.fromEntries(paths);
}

function pathItemOf(operationId: string, operation: Operation): Json {
  return {
    operationId,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    tags: [operation.tag],
    parameters: parametersOf(operation),
    ...(operation.method === 'POST' ? { requestBody: bodyOf(operation) } : {}),
    responses: responsesOf(operation),
    ...(operation.mayRespondAsync ? { callbacks: describeCallbacks() } : {}),
  };
}

function bodyOf({ body, example, takesRecords = false }: Operation): Json {
  const schema = allowExtraFields(jsonSchemaOf(body));
  const content = { 'application/json': { schema, example: example.body } };
  // A missing body counts as an empty object.
  const required = takesRecords || body.validate({}).error !== undefined;
  return { description: bodyBounds, required, content };
}

/** Requests may have undeclared fields, which are ignored; responses have none. */
function allowExtraFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowExtraFields);
  if (schema === null || typeof schema !== 'object') return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, allowExtraFields(value)]));
}

/** Converts Koa's `/jobs/:jobId` to OpenAPI's `/jobs/{jobId}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
