import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { HeldTurn } from './turn-leases.ts';

export interface KnownQuestion extends Pick<HeldTurn, 'turnId' | 'attempt'> {
  readonly question: string;
  /** What is stored of it as the message of the person. */
  readonly message: string;
  /** Only this turn can answer it: no newer one supersedes it. */
  readonly isForThisTurn: boolean;
}

/**
 * Notes the question of a turn that runs to read what is attached to it: the turn claims again with it, and from then on takes part
 * in its burst. False, without a write, where the attempt is outdated.
 */
export async function noteQuestion(
  { tx, hostId }: HostScope,
  { turnId, attempt, question, message, isForThisTurn }: KnownQuestion,
): Promise<boolean> {
  const noted = await rowsOf(tx)`
    update turns set question = ${question}, message = ${message},
      -- A run again may have acted, with the question that it noted before.
      has_acted = has_acted and (question is not null or ${isForThisTurn})
    where host_id = ${hostId} and id = ${turnId} and attempt = ${attempt} and state in ('waiting', 'running')
    returning id`;
  return noted.length > 0;
}
