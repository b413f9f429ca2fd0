import { operation } from '../operation.ts';
import { dateTime, field, idAlsoNamed, integer, object, optional, uuid } from '../shape.ts';
import { AVATAR_ID, FLOW_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import { deleted, hostFields } from './fields.ts';
import { exampleFlow, flow, flowFields } from './flow-shape.ts';
import { exampleSteps, steps } from './flow-step-shape.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

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
  queue: 'catalog',
  weight: { kind: 'list', connections: 1 },
  tag: 'flows',
  method: 'POST',
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
  status: 200,
  refusals: ['flow-not-found'],
  scope: 'manage',
  hosts: 'one',
});

export const restoreFlowVersion = operation({
  effect: 'changes',
  summary: 'Restore a version of a flow',
  description:
    'Saves the flow as it was in that version, `active` included, as a new version; a deleted flow is restored, too. It is ' +
    'checked like any save: its agents, model and avatar must exist.',
  queue: 'catalog',
  tag: 'flows',
  method: 'POST',
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
  status: 200,
  refusals: ['flow-not-found', 'flow-version-not-found', 'avatar-not-found', 'flow-stale', 'host-full'],
  scope: 'manage',
  hosts: 'one',
});
