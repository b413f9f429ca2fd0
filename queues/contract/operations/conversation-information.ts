import { dateTime, field, flag, number, object, type TypeOf, uuidOrEmpty } from '../shape.ts';
import { CONVERSATION_ID } from './example-ids.ts';
import { conversationId, longText } from './fields.ts';

export const archived = field('Whether the conversation was put aside; it is answered all the same.', flag());
export const closed = field('Whether the conversation has ended; the next question opens it again.', flag());
export const askHumanHelp = field(
  'Whether the conversation waits for a person of the host, or has one.',
  flag(),
);

/** A conversation at a glance. */
export const conversationInformation = object({
  id: conversationId,
  dialogue_summary: field('What was talked about, in a few sentences; empty until it is made.', longText),
  main_topic: field('What it is chiefly about, in a few words; empty until it is made.', longText),
  user_name: field('Name of the person who writes; empty where it is not known.', longText),
  tip: field('Advice to whoever attends the person next; empty until it is made.', longText),
  wpp_id: field('WhatsApp number of the person, as it was given; empty where it is not known.', longText),
  archived,
  last_message_at: field(
    'When the last message was written, or when the conversation began while it has none: an instant in UTC, ISO 8601.',
    dateTime(),
  ),
  external_id: field('Id of the person in a system of the caller; empty where none was given.', longText),
  heat_score: field(
    'How ready the person is to go ahead: 0 (cold) to 100 (hot).',
    number({ min: 0, max: 100 }),
  ),
  heat_score_description: field('Why the heat is what it is; empty until it is made.', longText),
  sentiment_score: field(
    'Mood of the person: -1 (bad) to 1 (good); 0 is neutral, and stands until it is made.',
    number({ min: -1, max: 1 }),
  ),
  sentiment_score_explanation: field('Why the mood is what it is; empty until it is made.', longText),
  lead_id: field(
    'Id of the lead that the conversation belongs to; empty where there is none.',
    uuidOrEmpty(),
  ),
  ask_human_help: askHumanHelp,
  closed,
});

export type ConversationInformation = TypeOf<typeof conversationInformation>;

export const conversationInformationExample: ConversationInformation = {
  id: CONVERSATION_ID,
  dialogue_summary: 'Ana perguntou pelo horário da secretaria.',
  main_topic: 'Atendimento da secretaria',
  user_name: 'Ana',
  tip: 'Ofereça o agendamento pelo Portal do Aluno.',
  wpp_id: '+55 11 98765-4321',
  archived: false,
  last_message_at: '2026-03-02T14:05:09.120Z',
  external_id: '',
  heat_score: 42,
  heat_score_description: 'Fez uma pergunta há pouco e deixou o nome.',
  sentiment_score: 0.2,
  sentiment_score_explanation: 'Escreve com cordialidade.',
  lead_id: '',
  ask_human_help: false,
  closed: false,
};
