import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { type Flow, type FlowStep, insertFlow } from '../../db/assistants/flows.ts';
import type { Db } from '../../db/connection.ts';
import { withHost } from '../../db/with-hosts.ts';

type Step = Pick<FlowStep, 'type'> & Partial<FlowStep>;

let made = 0;

/** Creates an avatar with a flow of these steps. */
export async function makeAvatarWithFlow(
  { db, hostId }: { readonly db: Db; readonly hostId: string },
  steps: readonly Step[],
  { model = '' }: { readonly model?: string } = {},
): Promise<{ subSlug: string; avatarId: string; flow: Flow }> {
  made += 1;
  const subSlug = `steered-${made}`;
  return withHost(db, hostId, async scope => {
    const avatar = await insertAvatar(scope, {
      sub_slug: subSlug,
      avatar_name: 'Eva',
      prompt_envelop: 'Você é a Eva.',
    });
    const whole = steps.map(step => ({ content: '', description: '', ...step }));
    const flow =
      avatar &&
      (await insertFlow(scope, {
        avatarId: avatar.avatar_id,
        decisionName: 'Fluxo',
        chainJson: whole,
        model,
        savedBy: null,
      }));
    if (!flow) throw new Error('The avatar and its flow were not made.');
    return { subSlug, avatarId: avatar.avatar_id, flow };
  });
}

/** An agent that records a course and a semester. */
export async function makeAgent(
  { db, hostId }: { readonly db: Db; readonly hostId: string },
  name: string,
): Promise<{ agentName: string; schemaName: string }> {
  const schemaName = `${name}-dados`;
  await withHost(db, hostId, async scope => {
    await setSchema(scope, {
      schemaName: schemaName,
      arguments: {
        type: 'object',
        properties: { curso: { type: 'string', minLength: 2 }, semestre: { type: 'integer', minimum: 1 } },
        required: ['curso'],
        additionalProperties: false,
      },
    });
    await setAgent(scope, {
      agentName: name,
      schemaName,
      description: 'Anota o interesse.',
      frontSchema: {},
    });
  });
  return { agentName: name, schemaName };
}
