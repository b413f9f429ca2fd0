import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/**
 * A message, which alone moves the time of the last one, tells the index of its conversation itself: without a second line, and a
 * trigger with a table of its own, both writes of a turn are cheaper. The function has another result; only `claim_turn` calls it.
 */
export const claims = `
  drop function if exists turns_beside(turns, boolean, boolean, timestamptz);
  ${declareTriggerFunctions('queue_changed_conversation')}
  drop trigger search_update on conversations;
  create trigger search_update after update on conversations for each row
    when (new.last_message_at is not distinct from old.last_message_at) execute function queue_changed_conversation();
`;
