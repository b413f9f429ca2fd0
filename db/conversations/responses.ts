import { rowsOf } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';

/** A turn, as a response of OpenAI's form tells of it. */
export interface ResponseTurn {
  readonly jobId: string;
  readonly hostSlug: string;
  /** The avatar; for a turn without an answer, the one of the turn before it. Null: unknown. */
  readonly subSlug: string | null;
  readonly state: 'waiting' | 'running' | 'answered' | 'unanswered';
  /** The status of its failure; null: it did not fail. */
  readonly failedCode: number | null;
  readonly arrivedAt: Date;
  readonly text: string;
  readonly receipt: Receipt | null;
  /** The job of the answered turn before it; null if there is none. */
  readonly previousJobId: string | null;
}

interface Receipt {
  readonly truncated?: boolean;
  readonly modelCalls: readonly { readonly tokens: number }[];
}

/** Reads the newest turn of the conversation whose id begins so. Finds none whose answer retention has erased. */
export async function findResponseTurn(
  { tx, hostIds }: HostsScope,
  { conversationId, turnStart }: { readonly conversationId: string; readonly turnStart: string },
): Promise<ResponseTurn | undefined> {
  const [turn] = await rowsOf<ResponseTurn>(tx)`
    select split_part(turn.id, '.', 1) as "jobId", host.slug as "hostSlug", turn.state, turn.failed_code as "failedCode",
      coalesce(turn.receipt, earlier.receipt) #>> '{avatar,subSlug}' as "subSlug", turn.arrived_at as "arrivedAt",
      coalesce(answer.content, '') as text, turn.receipt, split_part(earlier.id, '.', 1) as "previousJobId"
    from turns turn join hosts host on host.id = turn.host_id
    left join lateral (
      select id, receipt from turns
      where host_id = turn.host_id and conversation_id = turn.conversation_id and state = 'answered'
        and receipt is not null and not rehearsal and (arrived_at, id) < (turn.arrived_at, turn.id)
      order by arrived_at desc, id desc limit 1
    ) earlier on true
    left join messages answer
      on answer.host_id = turn.host_id and answer.turn_id = turn.id and answer.author = 'assistant'
    where turn.host_id = any(${[...hostIds]}) and turn.conversation_id = ${conversationId}
      and starts_with(turn.id, ${turnStart}) and not turn.rehearsal
      and (turn.state <> 'answered' or turn.receipt is not null)
    order by turn.arrived_at desc limit 1`;
  return turn;
}
