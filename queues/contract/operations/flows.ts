import { operation } from '../operation.ts';
import { dateTime, field, flag, idAlsoNamed, object, optional, responseList, text } from '../shape.ts';
import { evaluate, evaluateRefusals } from './evaluation-shape.ts';
import { AVATAR_ID, FLOW_ID, HOST_ID } from './example-ids.ts';
import { avatarId, avatarIds, choosenHostId, hostId } from './fields.ts';
import { exampleFlow, flow, flowFields } from './flow-shape.ts';
import { exampleSteps, steps } from './flow-step-shape.ts';
import { SVC } from './paths.ts';

export const listFlows = operation({
  effect: 'reads',
  summary: 'List the flows of a host',
  description: 'With `avatarIds`: only the flows of these avatars. Omits deleted flows.',
  queue: 'catalog',
  weight: { kind: 'list', connections: 1 },
  tag: 'flows',
  method: 'POST',
  path: `${SVC}/decisionChainsListHelper`,
  body: object({
    hostId,
    avatarIds: avatarIds('Only flows of these avatars. When absent: all flows of the host.'),
    choosenHostId,
  }),
  data: responseList(flow),
  example: { body: { hostId: HOST_ID, avatarIds: [AVATAR_ID] }, data: [exampleFlow] },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'one',
});

export const listFlowTemplates = operation({
  effect: 'reads',
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
  effect: 'changes',
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
    id: field(
      'Id of the flow to update. When absent: a new flow is created.',
      optional(idAlsoNamed('flowId')),
    ),
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
    evaluate,
    choosenHostId,
  }),
  data: flow,
  example: {
    body: {
      id: FLOW_ID,
      hostId: HOST_ID,
      avatarId: AVATAR_ID,
      decisionName: exampleFlow.decisionName,
      chainJson: exampleSteps,
      active: true,
      evaluate: false,
    },
    data: exampleFlow,
  },
  status: 200,
  refusals: ['flow-not-found', 'avatar-not-found', 'flow-stale', ...evaluateRefusals, 'host-full'],
  scope: 'manage',
  hosts: 'one',
});
