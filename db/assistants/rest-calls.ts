import type { DataOf } from '../../queues/contract/operations/index.ts';
import { jsonOf, returnsRow, rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { RestTool } from './rest-tools.ts';

type RestCall = DataOf<'listRestCalls'>[number];

/** The newest turns with calls of any REST tool, in which those of one are looked for. */
const MAX_TURNS = 1_000;

type NotedCall = Pick<RestCall, 'function' | 'status' | 'durationMs' | 'error' | 'conversationId'> & {
  readonly turnId?: string;
  readonly avatarId?: string;
};

/**
 * Stores that a person or a turn called a function, which gives an audit row with the actor. Returns false, and stores nothing, if
 * the tool was deleted meanwhile.
 */
export async function noteCall({ tx, hostId }: HostScope, id: string, call: NotedCall): Promise<boolean> {
  return returnsRow(tx)`
    update rest_tools set last_try = ${jsonOf(call)}::jsonb || jsonb_build_object('at', now())
    where host_id = ${hostId} and id = ${id} returning id`;
}

/** Lists calls of its present functions, the newest first: of turns from their receipts, of persons from the audit. */
export async function listRestCalls(
  { tx, hostId }: HostScope,
  { id, avatarId, name, functions }: Pick<RestTool, 'id' | 'avatarId' | 'name' | 'functions'>,
  limit: number,
): Promise<RestCall[]> {
  const prefix = `rest:${name}:`;
  const names = functions.map(each => prefix + each.name);
  const calls = await rowsOf<RestCall>(tx)`
    with call_of_turn as (
      select finished_at, conversation_id, call, right(call ->> 'name', -length(${prefix}::text)) as function from (
        select finished_at, conversation_id, receipt -> 'outsideCalls' as calls from turns
        where host_id = ${hostId} and receipt ->> 'outsideCalls' like '%"rest:%'
          and receipt #>> '{avatar,id}' = ${avatarId}
        order by finished_at desc limit ${MAX_TURNS}
      ) turn cross join jsonb_array_elements(calls) call
      where call ->> 'name' = any (${names}::text[])
    ), tried as (
      select created_at, after -> 'last_try' as call from audit_entries
      where host_id = ${hostId} and operation = 'tryRestTool' and row_id = ${id}
      order by created_at desc limit ${limit}
    )
    select called_at at time zone 'UTC' as "calledAt", function, (call ->> 'status')::integer as status,
      (call ->> 'durationMs')::integer as "durationMs", call ->> 'error' as error, by as "calledBy",
      conversation_id as "conversationId"
    from (
      select finished_at as called_at, function, call, 'turn' as by, conversation_id from call_of_turn
      union all
      select created_at, call ->> 'function', call, 'person', null from tried
    ) listed_call
    order by called_at desc limit ${limit}`;
  return calls.map(({ error, conversationId, ...call }) => ({
    ...call,
    ...(error !== null && { error }),
    ...(conversationId !== null && { conversationId }),
  })) as RestCall[];
}
