import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** The steps of one flow in one conversation. */
export interface FlowInConversation {
  readonly conversationId: string;
  readonly flowId: string;
}

/** Of these keys of steps, those that were done before. */
export async function findStepsDone(
  { tx, hostId }: HostScope,
  { conversationId, flowId }: FlowInConversation,
  keys: readonly string[],
): Promise<Set<string>> {
  const done = await rowsOf<{ key: string }>(tx)`
    select step_key as key from flow_steps_done
    where host_id = ${hostId} and conversation_id = ${conversationId} and flow_id = ${flowId}
      and step_key = any(${keys}::text[])`;
  return new Set(done.map(({ key }) => key));
}

/** A step that was done before keeps its first turn. */
export async function markStepsDone(
  { tx, hostId }: HostScope,
  { conversationId, flowId, turnId }: FlowInConversation & { readonly turnId: string },
  keys: readonly string[],
): Promise<void> {
  await rowsOf(tx)`
    insert into flow_steps_done (host_id, conversation_id, flow_id, step_key, turn_id)
    select ${hostId}, ${conversationId}, ${flowId}, key, ${turnId} from unnest(${keys}::text[]) key
    on conflict do nothing`;
}
