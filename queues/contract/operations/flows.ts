import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  idAlsoNamed,
  integer,
  nullable,
  object,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { evaluate, evaluateRefusals } from './evaluation-shape.ts';
import { AVATAR_ID, FLOW_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import {
  avatarId,
  avatarIds,
  choosenHostId,
  createdAt,
  deleted,
  hostFields,
  hostId,
  hostOfObject,
  updatedAt,
} from './fields.ts';
import { exampleSteps, steps } from './flow-step-shape.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

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
  effect: 'reads',
  summary: 'List the flows of a host',
  description: 'With `avatarIds`: only the flows of these avatars. Omits deleted flows.',
  weight: { kind: 'list', connections: 1 },
  tag: 'flows',
  path: `${SVC}/decisionChainsListHelper`,
  body: object({
    hostId,
    avatarIds: avatarIds('Only flows of these avatars. When absent: all flows of the host.'),
    choosenHostId,
  }),
  data: responseList(flow),
  example: { body: { hostId: HOST_ID, avatarIds: [AVATAR_ID] }, data: [exampleFlow] },
  scope: 'manage',
});

export const listFlowTemplates = operation({
  effect: 'reads',
  summary: 'List flow templates',
  description: 'The templates are the same for every host: copy the steps of one into a new flow.',
  tag: 'flows',
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
    '`handoff`, `end`, `ask`, `when`; other types are stored, and skipped at run time. An `ask` holds the steps after it until the ' +
    'person has answered; a `when` leads to a later step if an answer is one of its values.',
  tag: 'flows',
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
  refusals: ['flow-not-found', 'avatar-not-found', 'flow-stale', ...evaluateRefusals, 'host-full'],
  scope: 'manage',
});

const MAX_VERSION = 2_147_483_647;

const id = field(
  'Id of the flow, as returned by decisionChainsListHelper; it may be deleted.',
  idAlsoNamed('flowId'),
);

const flowVersion = object({
  version: field('Number of the save, from 1; the highest one is the flow as it is.', integer({ min: 1 })),
  savedAt: field('Time of the save: an instant in UTC, ISO 8601.', dateTime()),
  savedBy: field('Id of the access token that saved it.', uuid()),
  avatarId: field('Id of the avatar whose conversations used the flow.', uuid()),
  chainJson: steps,
  ...flowFields,
  deleted,
});

export const listFlowVersions = operation({
  effect: 'reads',
  summary: 'List the versions of a flow',
  description:
    'Newest first. Each save makes a version; the last 50 are kept. A page also ends when it has 1 MiB, so it may have fewer items than `limit`.',
  weight: { kind: 'list', connections: 1 },
  tag: 'flows',
  path: `${SVC}/flowVersionsListHelper`,
  body: object({ ...hostFields, ...pageFields, id }),
  data: pageOf(flowVersion),
  example: {
    body: { hostId: HOST_ID, id: FLOW_ID, limit: 20 },
    data: {
      items: [
        {
          version: 1,
          savedAt: '2026-02-02T12:00:00.000Z',
          savedBy: TOKEN_ID,
          avatarId: AVATAR_ID,
          chainJson: exampleSteps,
          decisionName: 'Captação',
          active: true,
          promptTemplateName: '',
          decisionType: 'custom',
          model: '',
          templateRef: null,
          deleted: false,
        },
      ],
      nextCursor: null,
    },
  },
  refusals: ['flow-not-found'],
  scope: 'manage',
});

export const restoreFlowVersion = operation({
  effect: 'changes',
  summary: 'Restore a version of a flow',
  description:
    'Saves the flow as it was in that version, `active` included, as a new version; a deleted flow is restored, too. It is ' +
    'checked like any save: its agents, model and avatar must exist.',
  tag: 'flows',
  path: `${SVC}/restoreFlowVersionHelper`,
  body: object({
    ...hostFields,
    id,
    version: field(
      'The version to restore, as returned by flowVersionsListHelper.',
      integer({ min: 1, max: MAX_VERSION }),
    ),
    expectedUpdatedAt: field(
      'The `updatedAt` of the flow that the caller last read; if it differs, the restore is refused with 409. When absent: not checked.',
      optional(dateTime()),
    ),
  }),
  data: flow,
  example: { body: { hostId: HOST_ID, id: FLOW_ID, version: 1 }, data: exampleFlow },
  refusals: ['flow-not-found', 'flow-version-not-found', 'avatar-not-found', 'flow-stale', 'host-full'],
  scope: 'manage',
});
