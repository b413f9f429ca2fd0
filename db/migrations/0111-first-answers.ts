/** For reports: who wrote a message, and which request for help it was the first to answer. Neither changes afterwards. */
export const firstAnswers = `
  alter table messages
    -- The staff member who wrote it in the console; null where a caller wrote it. No reference: history stays.
    add column person_id uuid,
    -- The time of the request for help that it was the first to answer.
    add column help_asked_at timestamptz;

  update messages set person_id = person.id
  from (
    select host_id, name, (array_agg(id))[1] as id from people group by 1, 2 having count(*) = 1
  ) person
  where messages.host_id = person.host_id and messages.name = person.name and author = 'human' and not rehearsal;

  update messages set help_asked_at = answer.help_asked_at
  from (
    select distinct on (message.host_id, message.conversation_id) seq, conversation.help_asked_at
    from messages message
    join conversations conversation
      on conversation.host_id = message.host_id and conversation.id = message.conversation_id
    where author = 'human' and not rehearsal and message.created_at >= conversation.help_asked_at
    order by message.host_id, message.conversation_id, seq
  ) answer
  where messages.seq = answer.seq;
`;
