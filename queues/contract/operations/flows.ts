import { operation } from '../operation.ts';
import { answerList, dateTime, field, flag, list, nullable, object, optional, text, uuid } from '../shape.ts';
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

const LONGEST_STEP = 20_000;
const MOST_STEPS = 100;
const MOST_AGENTS = 50;

const stepAgent = object({
  agentName: field('Name of the agent, as agentsListHelper lists it.', text()),
  schemaName: field('Name of the schema of that agent.', text()),
});
/** A type that nobody knows is no mistake: it may be one that a later version has. */
const step = object({
  type: field(
    'What the step does: `message`, `notification-conversation`, `notification-trigger`, `agent`, `handoff` or `end`; a step of any other type is skipped.',
    text(),
  ),
  content: field(
    'What is said (`message`), the instruction to the assistant (`notification-conversation`), or the condition in plain words (`notification-trigger`, `handoff`, `end`).',
    text({ min: 0, max: LONGEST_STEP }),
  ),
  description: field('Note for whoever edits the flow.', text({ min: 0, max: LONGEST_STEP })),
  canRepeat: field(
    'False: the step is done once in a conversation. When absent: true, as often as it applies.',
    optional(flag()),
  ),
  agents: field(
    'The agents that the step runs. When absent: none.',
    optional(list(stepAgent, { max: MOST_AGENTS })),
  ),
});
const steps = field(
  'The steps of the flow, in the order in which every turn reads them.',
  list(step, { min: 1, max: MOST_STEPS }),
);

const flowFields = {
  decisionName: field('Name of the flow, as people see it.', text()),
  active: field(
    'Whether the flow may steer conversations; of several active ones the one saved last does.',
    flag(),
  ),
  promptTemplateName: field(
    'Name of the template that the flow was made from; empty for none.',
    text({ min: 0 }),
  ),
  decisionType: field('Kind of flow, for the caller’s own use; `custom` unless another was given.', text()),
  model: field(
    'Name of the language model for turns under the flow, as modelListHelper lists it; empty for that of the avatar.',
    text({ min: 0 }),
  ),
  templateRef: field('Reference to a template of the caller; null for none.', nullable(text({ min: 0 }))),
};

const flow = object({
  ...flowFields,
  id: field('Id of the flow.', uuid()),
  createdAt,
  updatedAt,
  createdBy: field('Id of the access token that made the flow.', uuid()),
  chainJson: steps,
  hostId: hostOfObject,
  avatarId: field('Id of the avatar whose conversations the flow steers.', uuid()),
  lastUpdateBy: field('Id of the access token that saved the flow last.', uuid()),
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
  summary: 'The flows of a host',
  description: 'With `avatarIds` only the flows of these avatars. Deleted ones are left out.',
  queue: 'catalog',
  tag: 'flows',
  method: 'POST',
  path: `${SVC}/decisionChainsListHelper`,
  body: object({
    hostId,
    avatarIds: avatarIds('Only flows of these avatars. When absent: all of the host.'),
    choosenHostId,
  }),
  data: answerList(flow),
  example: { body: { hostId: HOST_ID }, data: [exampleFlow] },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'one',
});

export const listFlowTemplates = operation({
  summary: 'Flows to begin with',
  description: 'The same for every host: copy the steps of one into a flow of your own.',
  queue: 'catalog',
  tag: 'flows',
  method: 'POST',
  path: `${SVC}/getDefaultChains`,
  body: object({}),
  data: answerList(
    object({
      promptTemplateName: field('Name of the template; a flow made from it carries it on.', text()),
      chainJson: steps,
      model: flowFields.model,
      description: field('What a flow of these steps does.', text()),
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
  summary: 'Make a flow, or change one',
  description:
    'Without `id` a flow is made: it needs `avatarId`, `decisionName` and `chainJson`. With `id` the flow keeps what is ' +
    'left out; `expectedUpdatedAt` refuses the change where somebody else saved since. Of the active flows of an avatar ' +
    'the one saved last runs. Step types: `message`, `notification-conversation`, `notification-trigger`, `agent`, ' +
    '`handoff`, `end`; any other is stored, and skipped at run time.',
  queue: 'catalog',
  tag: 'flows',
  method: 'POST',
  path: `${SVC}/saveDecisionChainHelper`,
  body: object({
    id: field('Id of the flow to change. When absent: a new flow is made.', optional(uuid())),
    hostId,
    avatarId: field(
      'Id of the avatar whose conversations the flow steers; needed to make one. When absent: as it is.',
      optional(avatarId),
    ),
    decisionName: field('Name of the flow; needed to make one. When absent: as it is.', optional(text())),
    chainJson: field(
      'The steps, all of them; needed to make a flow. When absent: as they are.',
      optional(steps),
    ),
    promptTemplateName: optional(flowFields.promptTemplateName),
    model: optional(flowFields.model),
    templateRef: optional(flowFields.templateRef),
    decisionType: optional(flowFields.decisionType),
    active: field(
      'Whether it may steer conversations. When absent: true for a new flow, else as it is.',
      optional(flag()),
    ),
    deleted: field('True deletes the flow, false brings it back. When absent: as it is.', optional(flag())),
    expectedUpdatedAt: field(
      'The `updatedAt` that the caller last saw; another one refuses the change with 409. When absent: not compared.',
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
  refusals: ['flow-not-found', 'avatar-not-found', 'flow-stale'],
  scope: 'manage',
  hosts: 'one',
});
