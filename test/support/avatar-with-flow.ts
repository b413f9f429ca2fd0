import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { type Flow, type FlowStep, insertFlow } from '../../db/assistants/flows.ts';
import { assertDefined } from './assert-defined.ts';
import type { ServedHost } from './served-host.ts';

export type Step = Pick<FlowStep, 'type'> & Partial<FlowStep>;

let made = 0;

export async function makeAvatarWithFlow(
  { inHost }: Pick<ServedHost, 'inHost'>,
  steps: readonly Step[],
  { model = '' }: { readonly model?: string } = {},
): Promise<{ subSlug: string; avatarId: string; flow: Flow }> {
  made += 1;
  const subSlug = `steered-${made}`;
  return inHost(async scope => {
    const named = { sub_slug: subSlug, avatar_name: 'Eva', prompt_envelop: 'Você é a Eva.' };
    const avatarId = assertDefined(await insertAvatar(scope, named)).avatar_id;
    const whole = steps.map(step => ({ content: '', description: '', ...step }));
    const steered = { avatarId, decisionName: 'Fluxo', chainJson: whole, model, savedBy: null };
    return { subSlug, avatarId, flow: assertDefined(await insertFlow(scope, steered)) };
  });
}

/** Records a course and a semester. */
const interest = {
  properties: { curso: { type: 'string', minLength: 2 }, semestre: { type: 'integer', minimum: 1 } },
  required: ['curso'],
  additionalProperties: false,
};

/** An agent that records an interest, or what this schema says. */
export async function makeAgent(
  { inHost }: Pick<ServedHost, 'inHost'>,
  agentName: string,
  schema: object = interest,
  description = 'Anota o interesse.',
): Promise<{ agentName: string; schemaName: string }> {
  const schemaName = `${agentName}-dados`;
  await inHost(async scope => {
    await setSchema(scope, { schemaName, arguments: { type: 'object', ...schema } });
    await setAgent(scope, { agentName, schemaName, description, frontSchema: {} });
  });
  return { agentName, schemaName };
}
