import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** The steps of one flow in one conversation. */
interface FlowInConversation {
  readonly conversationId: string;
  readonly flowId: string;
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
