import { operation } from '../operation.ts';
import { field, object, responseList, text, uuid } from '../shape.ts';
import { words } from './agent-form-shape.ts';
import { agent, exampleAgent } from './agent-shape.ts';
import { HOST_ID, SCHEMA_ID } from './example-ids.ts';
import { createdAt, deleted, hostFields, updatedAt } from './fields.ts';
import { SVC } from './paths.ts';

const schema = object({
  id: field('Id of the schema.', uuid()),
  createdAt,
  updatedAt,
  schemaName: field('Name by which agents and flows refer to the schema.', text()),
  description: field('Meaning of the values of the schema.', words),
  deleted,
});

export const listAgents = operation({
  effect: 'reads',
  summary: 'List the agents and schemas of a host',
  description:
    'An agent is a task that the assistant may run. Deleted agents are omitted; deleted schemas are listed.',
  queue: 'catalog',
  weight: { kind: 'list', connections: 1 },
  tag: 'agents',
  method: 'POST',
  path: `${SVC}/agentsListHelper`,
  body: object(hostFields),
  data: object({
    agents: field('The agents of the host, without deleted ones.', responseList(agent)),
    schemas: field(
      'The schemas of the host, including deleted ones, which older flows may still refer to.',
      responseList(schema),
    ),
  }),
  example: {
    body: { hostId: HOST_ID },
    data: {
      agents: [exampleAgent],
      schemas: [
        {
          id: SCHEMA_ID,
          createdAt: '2026-01-12T12:00:00.000Z',
          updatedAt: '2026-01-12T12:00:00.000Z',
          schemaName: 'interesse',
          description: 'Interesse em um curso',
          deleted: false,
        },
      ],
    },
  },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'one',
});
