import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/** One trigger for what a message leaves for others: three with transition tables made both writes of a turn dearer. */
export const messageNotes = `
  ${declareTriggerFunctions('note_message')}
  drop trigger search_insert on messages;
  drop trigger note_messages on messages;
  drop trigger note_service_messages on messages;
  drop function add_message_deltas();
  drop function note_service_messages();
  create trigger note_message after insert on messages for each row execute function note_message();
`;
