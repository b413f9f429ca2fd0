import { createHash } from 'node:crypto';
import { rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** The steps of one flow in one conversation. */
export interface FlowInConversation {
  readonly conversationId: string;
  readonly flowId: string;
}

/** The identities of these steps that were done before. */
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

/** A step that was done before keeps its first turn. */
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

/** A digest of constant length. */
function keyOf(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url');
}
