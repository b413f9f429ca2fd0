import { field, flag, list, nullable, object, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, FLOW_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import { createdAt, deleted, hostOfObject, updatedAt } from './fields.ts';

const MAX_STEP_LENGTH = 20_000;
const MAX_STEPS = 100;
const MAX_AGENTS = 50;

const stepAgent = object({
  agentName: field('Name of the agent, as returned by agentsListHelper.', text()),
  schemaName: field('Name of the schema of that agent.', text()),
});
/** Unknown types are accepted: a later version may support them. */
const step = object({
  type: field(
    'Type of the step: `message`, `notification-conversation`, `notification-trigger`, `agent`, `handoff` or `end`; a step of any other type is skipped.',
    text(),
  ),
  content: field(
    'Text to send (`message`), instruction to the assistant (`notification-conversation`), or condition in natural language (`notification-trigger`, `handoff`, `end`).',
    text({ min: 0, max: MAX_STEP_LENGTH }),
  ),
  description: field(
    'Explanation of the step. The model reads it after the condition, or in place of an empty content.',
    text({ min: 0, max: MAX_STEP_LENGTH }),
  ),
  canRepeat: field(
    'False: the step runs at most once per conversation; true: whenever it applies. When absent: false for a `message`, true for every other step.',
    optional(flag()),
  ),
  agents: field(
    'Agents that the step runs. When absent: none.',
    optional(list(stepAgent, { max: MAX_AGENTS })),
  ),
});

export const steps = field(
  'Steps of the flow, in the order of evaluation.',
  list(step, { min: 1, max: MAX_STEPS }),
);

export const flowFields = {
  decisionName: field('Display name of the flow.', text()),
  active: field(
    'Whether the flow is active; of several active flows of an avatar, the one saved last runs.',
    flag(),
  ),
  promptTemplateName: field('Name of the template of the flow; empty for none.', text({ min: 0 })),
  decisionType: field('Kind of flow, not interpreted by the service; `custom` by default.', text()),
  model: field(
    'Name of the language model for turns with this flow, as returned by modelListHelper; empty for the model of the avatar.',
    text({ min: 0 }),
  ),
  templateRef: field(
    'Reference to a template in a system of the caller; null for none.',
    nullable(text({ min: 0 })),
  ),
};

export const flow = object({
  ...flowFields,
  id: field('Id of the flow.', uuid()),
  createdAt,
  updatedAt,
  createdBy: field('Id of the access token that created the flow.', uuid()),
  chainJson: steps,
  hostId: hostOfObject,
  avatarId: field('Id of the avatar whose conversations use the flow.', uuid()),
  lastUpdateBy: field('Id of the access token that last saved the flow.', uuid()),
  deleted,
});

export const exampleSteps = [
  {
    type: 'notification-conversation',
    content: 'Pergunte o nome da pessoa antes de falar de cursos.',
    description: 'Conhecer a pessoa',
    canRepeat: false,
  },
  {
    type: 'notification-trigger',
    content: 'A pessoa quer se inscrever em um curso.',
    description: 'Registrar o interesse',
    agents: [{ agentName: 'registrar_interesse', schemaName: 'interesse' }],
  },
];

export const exampleFlow = {
  id: FLOW_ID,
  createdAt: '2026-02-02T12:00:00.000Z',
  updatedAt: '2026-02-02T12:00:00.000Z',
  createdBy: TOKEN_ID,
  chainJson: exampleSteps,
  decisionName: 'Captação',
  hostId: HOST_ID,
  avatarId: AVATAR_ID,
  active: true,
  promptTemplateName: '',
  lastUpdateBy: TOKEN_ID,
  decisionType: 'custom',
  model: '',
  templateRef: null,
  deleted: false,
};
