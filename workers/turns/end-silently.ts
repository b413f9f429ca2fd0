import type { Db } from '../../db/connection.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { startStopwatch } from '../../platform/stopwatch.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { answeredTurnOf } from './answered-turn.ts';
import { SILENCE } from './ask.ts';
import { checkTurnAnswer } from './check.ts';
import type { EndSilently } from './claim.ts';
import { storesOnlyItsEnd, storeTurn } from './store.ts';
import type { ReadTurn } from './turn.ts';

/**
 * While staff attend nobody waits for a model, so that a silent turn needs one transaction, whose COMMIT is sent behind its last
 * statement. Rejects where nothing may be stored.
 */
export function endSilently(db: Db, scope: HostScope, turn: ReadTurn): ReturnType<EndSilently> {
  const { job, conversation, isHostDisabled } = turn;
  const hasMore = isHostDisabled || job.attachments || job.callback || job.signal.aborted;
  if (!conversation.attended || hasMore || !storesOnlyItsEnd(turn)) return undefined;
  return job.time.during('store', () => storeSilence(db, scope, turn));
}

async function storeSilence(db: Db, scope: HostScope, turn: ReadTurn): Promise<Outcome<DataOf<'reason'>>> {
  const { startedAt, elapsedMs } = startStopwatch();
  const checked = await checkTurnAnswer(db, turn, SILENCE, { text: '' });
  const end = { startedAt, durationMs: elapsedMs(), failure: undefined };
  const { outcome, store } = await storeTurn(scope, answeredTurnOf(turn, SILENCE, checked, end));
  const reply = await store(turn.job.replyOf(outcome), true);
  if (isFailure(reply)) throw new Error('The turn was ended by another run.');
  return reply;
}
