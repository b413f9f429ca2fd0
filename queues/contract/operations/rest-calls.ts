import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  freeObject,
  integer,
  object,
  oneOf,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { CONVERSATION_ID, HOST_ID, REST_TOOL_ID } from './example-ids.ts';
import { hostFields, longText } from './fields.ts';
import { SVC } from './paths.ts';
import { externalCall } from './turn-receipt.ts';

const { status, durationMs, error } = externalCall;
const toolId = field('Id of the tool, as returned by restToolsListHelper.', uuid());
const called = { status, durationMs, error };
const MAX_CALLS = 100;

export const tryRestTool = operation({
  effect: 'changes',
  summary: 'Call a function of a REST tool',
  description:
    'As a turn calls it: with the secret of the tool, and with tokens in place of personal identifiers where the host masks them. It is called at once, also where a turn would ask the person first or the tool is disabled. The audit names who called which function; it has neither arguments nor the answer.',
  tag: 'REST tools',
  path: `${SVC}/tryRestToolHelper`,
  body: object({
    ...hostFields,
    toolId,
    function: field('Name of the function.', text()),
    arguments: field('Its arguments.', freeObject()),
  }),
  data: object({
    ...called,
    text: field('What a model would get of the answer, without the secret.', longText),
  }),
  example: {
    body: { hostId: HOST_ID, toolId: REST_TOOL_ID, function: 'boletos', arguments: { cpf: '52998224725' } },
    data: { status: 200, durationMs: 84, text: '{"boletos":[{"valor":830.5,"vencimento":"2026-03-10"}]}' },
  },
  refusals: ['rest-tool-not-found'],
  scope: 'manage',
});

export const listRestCalls = operation({
  effect: 'reads',
  summary: 'List the last calls of a REST tool',
  description:
    'The newest first: those of turns, as in `restStatus`, for as long as their receipts are kept, and those of tryRestToolHelper. A function that was renamed has none.',
  weight: { kind: 'list', connections: 1 },
  tag: 'REST tools',
  path: `${SVC}/restCallsListHelper`,
  body: object({
    ...hostFields,
    toolId,
    limit: field('At most this many. When absent: 20.', optional(integer({ min: 1, max: MAX_CALLS }))),
  }),
  data: responseList(
    object({
      calledAt: field('When the turn or the try ended: an instant in UTC, ISO 8601.', dateTime()),
      function: field('Name of the function.', text()),
      ...called,
      calledBy: field(
        '`turn`: a model in a conversation; `person`: tryRestToolHelper.',
        oneOf('turn', 'person'),
      ),
      conversationId: field('Id of the conversation of the turn. Absent for a try.', optional(uuid())),
    }),
  ),
  example: {
    body: { hostId: HOST_ID, toolId: REST_TOOL_ID, limit: 20 },
    data: [
      {
        calledAt: '2026-03-02T14:05:09.120Z',
        function: 'boletos',
        status: 200,
        durationMs: 84,
        calledBy: 'turn',
        conversationId: CONVERSATION_ID,
      },
    ],
  },
  refusals: ['rest-tool-not-found'],
  scope: 'manage',
});
