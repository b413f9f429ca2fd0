/**
 * What lists of conversations and messages need. Each index ends with the order of the list, so that any page is one
 * range; `closed` and `archived` are in front of it, because either value may be the rare one.
 */

/** Not `coalesce`, which PostgreSQL takes for a function that may leak rows: row-level security keeps it from being searched by. */
const newestAt = `(case when last_message_at is null then created_at else last_message_at end)`;
/** An expression, so that no other index serves for the lists of a channel: a channel may have hardly any that are closed. */
const state = `(case when closed then case when archived then 3 else 2 end else case when archived then 1 else 0 end end)`;

export const conversationLists = `
  -- An index key has a maximum length.
  update conversations set platform = left(platform, 200) where length(platform) > 200;
  create index conversations_listed on conversations
    (host_id, closed, archived, ${newestAt}, id);
  create index conversations_listed_by_platform on conversations
    (host_id, platform, ${state}, ${newestAt}, id);
  create index conversations_asking_help on conversations
    (host_id, closed, archived, ${newestAt}, id) where ask_human_help;
  -- Changed long after their last message: the others are found by that. Turns do not write to this index.
  create index conversations_changed_later on conversations (host_id, updated_at)
    where updated_at - ${newestAt} > interval '10 minutes';

  -- The transaction that inserted it: which messages a list had seen when it began. Null for earlier messages.
  alter table messages add column written_in xid8;
  alter table messages alter column written_in set default pg_current_xact_id();
  -- The codes of an answer that were sent as payments; others stayed text. Null: none.
  alter table messages add column payments text[];

  -- At the end, because from here on nobody reads conversations until it is committed.
  -- The staff member who handles it, as callers name them.
  alter table conversations add column assigned_to text check (assigned_to <> '');
  create index conversations_assigned on conversations
    (host_id, assigned_to, ${newestAt}, id) where assigned_to is not null;
`;
