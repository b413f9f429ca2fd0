import { field, flag, nullable, object, text, uuid } from '../shape.ts';
import { AVATAR_ID, FLOW_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import { createdAt, deleted, hostOfObject, updatedAt } from './fields.ts';
import { exampleSteps, steps } from './flow-step-shape.ts';

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
