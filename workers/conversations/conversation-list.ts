import {
  type ConversationPlace,
  isListExpired,
  listConversations as listStored,
} from '../../db/conversations/conversation-list.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import { MAX_LISTING_HOURS } from '../../queues/contract/operations/conversation-lists.ts';
import { integer, list, object, type TypeOf, uuid } from '../../queues/contract/shape.ts';
import { readPage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import type { Handler } from '../runtime/job.ts';

const MAX_RUNNING = 10_000;
const count = integer({ min: 0 });
/** The sum of two is exact. */
const MAX_TRANSACTIONS = 2 ** 51;
/** A place, with its snapshot as numbers: any of them make a snapshot, so a forged cursor is no error of the database. */
const key = object({
  at: count,
  id: uuid(),
  begunAt: count,
  /** The oldest transaction that was running; how many had begun since; which of these were still running. */
  oldest: integer({ min: 1, max: MAX_TRANSACTIONS }),
  begun: integer({ min: 0, max: MAX_TRANSACTIONS }),
  running: list(count, { max: MAX_RUNNING }),
});
type Key = TypeOf<typeof key>;

export const listConversations: Handler<'listConversations'> = job =>
  job.read(async scope => {
    const { body } = job;
    const { ask_human_help, unanswered, closed, archived, platform, assigned_to, contactId } = body;
    const period = await readInstants(scope, { updatedSince: body.updatedSince });
    if (isFailure(period)) return period;
    const filter = { unanswered, closed, archived, platform, contactId, ...period };
    const page = await readPage(job, key, {
      read: ({ limit, after }) =>
        listStored(
          scope,
          { ...filter, askHumanHelp: ask_human_help, assignedTo: assigned_to },
          { limit, after: after && placeOf(after) },
        ),
      keyOf: ({ place }) => keyOf(place),
      toItem: ({ place: _place, ...conversation }) => conversation,
      isExpired: ({ begunAt }) => isListExpired(scope, begunAt, MAX_LISTING_HOURS),
    });
    return isFailure(page) ? page : { code: 200, data: page };
  });

function keyOf({ at, id, begunAt, seen }: ConversationPlace): Key {
  const [oldest = 1, next = oldest, ...running] = seen.split(/[:,]/).filter(Boolean).map(Number);
  return { at, id, begunAt, oldest, begun: next - oldest, running: running.map(each => each - oldest) };
}

function placeOf({ at, id, begunAt, oldest, begun, running }: Key): ConversationPlace {
  const [first, next] = [toTransaction(oldest), toTransaction(oldest + begun)];
  const listed = running
    .map(each => toTransaction(oldest + each))
    .filter(each => each >= first && each < next);
  const sorted = [...new Set(listed)].toSorted((a, b) => a - b);
  return { at, id, begunAt, seen: `${first}:${next}:${sorted.join(',')}` };
}

/** PostgreSQL refuses numbers of which the lower half is 0: it gives them to no transaction. */
function toTransaction(id: number): number {
  return id % 2 ** 32 === 0 ? id + 1 : id;
}
