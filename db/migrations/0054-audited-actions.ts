/**
 * What a host's webhooks are told by hand, and tokens of links that nobody used, are in the audit. Deliveries of other causes
 * are not: they follow from what is.
 */
export const auditedActions = `
  create trigger note_test after insert on deliveries
    for each row when ((nullif(current_setting('parley.actor', true), '')::jsonb ->> 'operation') = 'testWebhook')
    execute function note_change('id', 'due_at,is_claimed,claim,scheduled_at,url', '');
  -- Only a replay makes one that has ended wait again.
  create trigger note_replay after update of state on deliveries
    for each row when (old.state <> 'pending' and new.state = 'pending')
    execute function note_change('id', 'due_at,is_claimed,claim,scheduled_at,url,last_error', '');
  -- Before, while its hosts are known.
  create trigger note_deleted_token before delete on tokens
    for each row execute function note_change('id', 'hash,last_used_at', '');
`;
