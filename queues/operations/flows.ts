import { operation } from '../operation.ts';
import { answerList, dateTime, flag, list, nullable, object, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, FLOW_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const LONGEST_STEP = 20_000;
const MOST_STEPS = 100;
const MOST_AGENTS = 50;
const MOST_FILTERED = 1_000;

/** A type that nobody knows is no mistake: it may be one that a later version has. */
const step = object({
  type: text(),
  content: text({ min: 0, max: LONGEST_STEP }),
  description: text({ min: 0, max: LONGEST_STEP }),
  canRepeat: optional(flag()),
  agents: optional(list(object({ agentName: text(), schemaName: text() }), { max: MOST_AGENTS })),
});
const steps = list(step, { min: 1, max: MOST_STEPS });

const flow = object({
  id: uuid(),
  createdAt: dateTime(),
  updatedAt: dateTime(),
  createdBy: uuid(),
  chainJson: steps,
  decisionName: text(),
  hostId: uuid(),
  avatarId: uuid(),
  active: flag(),
  promptTemplateName: text({ min: 0 }),
  lastUpdateBy: uuid(),
  decisionType: text(),
  model: text({ min: 0 }),
  templateRef: nullable(text({ min: 0 })),
  deleted: flag(),
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
  method: 'POST',
  path: `${SVC}/decisionChainsListHelper`,
  body: object({
    hostId: uuid(),
    avatarIds: optional(list(uuid(), { max: MOST_FILTERED })),
    choosenHostId: optional(uuid()),
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
  method: 'POST',
  path: `${SVC}/getDefaultChains`,
  body: object({}),
  data: answerList(
    object({
      promptTemplateName: text(),
      chainJson: steps,
      model: text({ min: 0 }),
      description: text(),
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
  method: 'POST',
  path: `${SVC}/saveDecisionChainHelper`,
  body: object({
    id: optional(uuid()),
    hostId: uuid(),
    avatarId: optional(uuid()),
    decisionName: optional(text()),
    chainJson: optional(steps),
    promptTemplateName: optional(text({ min: 0 })),
    model: optional(text({ min: 0 })),
    templateRef: optional(nullable(text({ min: 0 }))),
    decisionType: optional(text()),
    active: optional(flag()),
    deleted: optional(flag()),
    expectedUpdatedAt: optional(dateTime()),
    choosenHostId: optional(uuid()),
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
