import { type EventTypeName, eventBodyOf, eventTypeNames, eventTypes } from '../../queues/contract/events.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';

const TIMESTAMP = '2026-03-02T14:05:09.120Z';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The headers are those of Standard Webhooks. */
const parameters = [
  header('webhook-id', 'Id of the delivery: the same on every attempt.'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several, separated by spaces, while a secret is rotated.',
  ),
];

const responses = {
  '2XX': { description: 'Accepted. Expected within 15 seconds; otherwise it is sent again later.' },
  410: { description: 'The receiver is gone: the webhook is disabled.' },
};

function requestOf(name: EventTypeName): Json {
  const { summary, example } = eventTypes[name];
  const value = { type: name, timestamp: TIMESTAMP, data: example };
  return {
    operationId: `receive_${name.replaceAll('.', '_')}`,
    summary,
    tags: ['events'],
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchemaOf(eventBodyOf(name)), example: value } },
    },
    responses,
  };
}

/** What receivers are sent, by type. */
export function describeWebhooks(): Json {
  return Object.fromEntries(eventTypeNames.map(name => [name, { post: requestOf(name) }]));
}

/** Describes the callbacks of the operations that can be called with X-Callback-Url. */
export function describeCallbacks(): Json {
  const { operationId: _id, ...request } = requestOf('job.completed');
  return { jobCompleted: { '{$request.header.X-Callback-Url}': { post: request } } };
}
