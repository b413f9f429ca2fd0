import type { DataOf } from '../../queues/contract/operations/index.ts';
import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type AgentRun = DataOf<'readAgent'>['runs'][number];

/** The newest answers of the host, in whose receipts the runs are looked for: no index has the turns of an agent. */
const MAX_ANSWERS = 1_000;

/** Lists the runs of an agent in turns that were answered, the newest first. */
export async function listAgentRuns(
  { tx, hostId }: HostScope,
  agentName: string,
  limit: number,
): Promise<AgentRun[]> {
  const runs = await rowsOf<AgentRun & { readonly error?: string | null }>(tx)`
    select run ->> 'startedAt' as "startedAt", (run ->> 'durationMs')::integer as "durationMs",
      run ->> 'status' as status, run ->> 'error' as error, avatar_id as "avatarId",
      conversation_id as "conversationId"
    from (
      select turn.conversation_id, turn.receipt #>> '{avatar,id}' as avatar_id, turn.receipt -> 'agents' as runs
      from (
        select turn_id from messages
        where host_id = ${hostId} and not rehearsal and author = 'assistant'
        order by created_at desc limit ${MAX_ANSWERS}
      ) answer
      join turns turn on turn.host_id = ${hostId} and turn.id = answer.turn_id and turn.receipt is not null
    ) turn cross join jsonb_array_elements(runs) run
    where run ->> 'agentName' = ${agentName}
    order by 1 desc limit ${limit}`;
  return runs.map(({ error, ...run }) => (error ? { ...run, error } : run));
}
