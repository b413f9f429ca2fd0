import { createHash } from 'node:crypto';
import { rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** The steps of one flow in one conversation. */
export interface FlowInConversation {
  readonly conversationId: string;
  readonly flowId: string;
}

/** Those of these steps that were done before, by what they are known by. */
export async function findStepsDone(
  { tx, hostId }: HostScope,
  { conversationId, flowId }: FlowInConversation,
  identities: readonly string[],
): Promise<Set<string>> {
  const keys = new Map(identities.map(identity => [keyOf(identity), identity]));
  const done = await rowsOf<{ key: string }>(tx)`
    select step_key as key from flow_steps_done
    where host_id = ${hostId} and conversation_id = ${conversationId} and flow_id = ${flowId}
      and step_key = any(${[...keys.keys()]}::text[])`;
  return new Set(done.map(({ key }) => keys.get(key) ?? ''));
}

/** A step that was done before stays with the turn that did it first. */
export async function markStepsDone(
  { tx, hostId }: HostScope,
  { conversationId, flowId, turnId }: FlowInConversation & { readonly turnId: string },
  identities: readonly string[],
): Promise<void> {
  await rowsOf(tx)`
    insert into flow_steps_done (host_id, conversation_id, flow_id, step_key, turn_id)
    select ${hostId}, ${conversationId}, ${flowId}, key, ${turnId} from unnest(${identities.map(keyOf)}::text[]) key
    on conflict do nothing`;
}

/** Of one length, whatever a step says. */
function keyOf(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url');
}
