import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  list,
  nullable,
  object,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { AVATAR_ID, FLOW_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import {
  avatarId,
  avatarIds,
  choosenHostId,
  createdAt,
  deleted,
  hostId,
  hostOfObject,
  updatedAt,
} from './fields.ts';
import { SVC } from './paths.ts';

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
const steps = field('Steps of the flow, in the order of evaluation.', list(step, { min: 1, max: MAX_STEPS }));

const flowFields = {
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

const flow = object({
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

const exampleSteps = [
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

const exampleFlow = {
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

export const listFlows = operation({
  summary: 'List the flows of a host',
  description: 'With `avatarIds`: only the flows of these avatars. Omits deleted flows.',
  queue: 'catalog',
  tag: 'flows',
  method: 'POST',
  path: `${SVC}/decisionChainsListHelper`,
  body: object({
    hostId,
    avatarIds: avatarIds('Only flows of these avatars. When absent: all flows of the host.'),
    choosenHostId,
  }),
  data: responseList(flow),
  example: { body: { hostId: HOST_ID }, data: [exampleFlow] },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'one',
});

export const listFlowTemplates = operation({
  summary: 'List flow templates',
  description: 'The templates are the same for every host: copy the steps of one into a new flow.',
  queue: 'catalog',
  tag: 'flows',
  method: 'POST',
  path: `${SVC}/getDefaultChains`,
  body: object({}),
  data: responseList(
    object({
      promptTemplateName: field('Name of the template; a flow made from it keeps this name.', text()),
      chainJson: steps,
      model: flowFields.model,
      description: field('Purpose of the template.', text()),
    }),
  ),
  example: {
    body: {},
    data: [
      {
        promptTemplateName: 'captacao',
        chainJson: exampleSteps,
        model: '',
        description: 'Conhece a pessoa e registra o seu interesse em um curso.',
      },
    ],
  },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'all',
});

export const saveFlow = operation({
  summary: 'Create or update a flow',
  description:
    'Without `id` a flow is created: `avatarId`, `decisionName` and `chainJson` are required. With `id` omitted fields stay ' +
    'unchanged; with `expectedUpdatedAt` the update is refused with 409 if the flow was saved since. Of the active flows of an ' +
    'avatar, the one saved last runs. Step types: `message`, `notification-conversation`, `notification-trigger`, `agent`, ' +
    '`handoff`, `end`; other types are stored, and skipped at run time.',
  queue: 'catalog',
  tag: 'flows',
  method: 'POST',
  path: `${SVC}/saveDecisionChainHelper`,
  body: object({
    id: field('Id of the flow to update. When absent: a new flow is created.', optional(uuid())),
    hostId,
    avatarId: field(
      'Id of the avatar whose conversations use the flow; required to create a flow. When absent: unchanged.',
      optional(avatarId),
    ),
    decisionName: field(
      'Name of the flow; required to create a flow. When absent: unchanged.',
      optional(text()),
    ),
    chainJson: field(
      'The complete list of steps; required to create a flow. When absent: unchanged.',
      optional(steps),
    ),
    promptTemplateName: optional(flowFields.promptTemplateName),
    model: optional(flowFields.model),
    templateRef: optional(flowFields.templateRef),
    decisionType: optional(flowFields.decisionType),
    active: field(
      'Whether the flow is active. When absent: true for a new flow, otherwise unchanged.',
      optional(flag()),
    ),
    deleted: field('True deletes the flow, false restores it. When absent: unchanged.', optional(flag())),
    expectedUpdatedAt: field(
      'The `updatedAt` that the caller last read; if it differs, the update is refused with 409. When absent: not checked.',
      optional(dateTime()),
    ),
    choosenHostId,
  }),
  data: flow,
  example: {
    body: { hostId: HOST_ID, avatarId: AVATAR_ID, decisionName: 'Captação', chainJson: exampleSteps },
    data: exampleFlow,
  },
  status: 200,
  refusals: ['flow-not-found', 'avatar-not-found', 'flow-stale', 'host-full'],
  scope: 'manage',
  hosts: 'one',
});
