/** Who handles a conversation, as people of the host: names alone do not tell two of the same name apart. */
const newestAt = `(case when last_message_at is null then created_at else last_message_at end)`;

export const attendants = `
  -- In the order of the names in assigned_to; empty where a caller gave names alone.
  alter table conversations add column assigned_person_ids uuid[] not null default '{}',
    -- The closing that ended the last request for help; null once the conversation is open again.
    add column help_closed_at timestamptz;
  create index conversations_of_people on conversations (host_id, ${newestAt}, id) where assigned_person_ids <> '{}';

  update conversations set assigned_person_ids = known.ids
  from (
    select conversation.host_id, conversation.id, array_agg(person.id order by place) as ids
    from conversations conversation
    cross join lateral unnest(string_to_array(assigned_to, ', ')) with ordinality attendant (name, place)
    left join (
      select host_id, regexp_replace(name, '[\\s,]+', ' ', 'g') as name, (array_agg(id))[1] as id
      from people group by 1, 2 having count(*) = 1
    ) person on person.host_id = conversation.host_id and person.name = attendant.name
    where assigned_to is not null
    group by 1, 2 having bool_and(person.id is not null)
  ) known
  where conversations.host_id = known.host_id and conversations.id = known.id;
`;
