import { operation } from '../operation.ts';
import { field, freeObject, integer, object, optional, responseList, uuid } from '../shape.ts';
import { agent, agentFields, exampleAgent } from './agent-shape.ts';
import { AGENT_ID, AVATAR_ID, CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { hostFields } from './fields.ts';
import { SVC } from './paths.ts';
import { agentRun } from './turn-receipt.ts';

const { startedAt, durationMs, status, error } = agentRun;
const MAX_RUNS = 100;

export const readAgent = operation({
  effect: 'reads',
  summary: 'Read an agent',
  description:
    'With the schema of its arguments, and its last runs in turns: those of the last 1,000 answers of the host, for as long as their receipts are kept, without rehearsals. A deleted one is read, too.',
  weight: { kind: 'list', connections: 1 },
  tag: 'agents',
  path: `${SVC}/readAgentHelper`,
  body: object({
    ...hostFields,
    id: agentFields.id,
    limit: field('At most this many runs. When absent: 20.', optional(integer({ min: 1, max: MAX_RUNS }))),
  }),
  data: object({
    agent: field('The agent, as agentsListHelper has it.', agent),
    schema: field('JSON Schema of its arguments.', freeObject()),
    runs: field(
      'Its last runs, the newest first.',
      responseList(
        object({
          startedAt,
          durationMs,
          status,
          error,
          avatarId: field('Id of the avatar of the turn.', uuid()),
          conversationId: field('Id of the conversation of the turn.', uuid()),
        }),
      ),
    ),
  }),
  example: {
    body: { hostId: HOST_ID, id: AGENT_ID, limit: 20 },
    data: {
      agent: exampleAgent,
      schema: { type: 'object', required: ['curso'], properties: { curso: { type: 'string' } } },
      runs: [
        {
          startedAt: '2026-03-02T14:05:09.120Z',
          durationMs: 3,
          status: 'done',
          avatarId: AVATAR_ID,
          conversationId: CONVERSATION_ID,
        },
      ],
    },
  },
  refusals: ['agent-not-found'],
  scope: 'manage',
});
