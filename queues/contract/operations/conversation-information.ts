import {
  dateTime,
  field,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  type TypeOf,
  text,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { CONTACT_ID, CONVERSATION_ID, PERSON_ID, TEAM_ID } from './example-ids.ts';
import { conversationId, longText } from './fields.ts';
import { label, MAX_LABELS, reason } from './host-shape.ts';

export const archived = field('Whether the conversation is archived; questions are still answered.', flag());
export const closed = field('Whether the conversation is closed; the next question opens it again.', flag());
export const askHumanHelp = field(
  'Whether the conversation waits for a staff member of the host, or is handled by one.',
  flag(),
);
export const assignedTo = field(
  'Name of the staff member who handles it, of several with `, ` between them; null if nobody does. Of people of the host it is the present name.',
  nullable(text()),
);
export const assignedPersonId = field(
  'Id of the person of the host who handles it, the first of several; null if nobody does, or a caller gave a name alone.',
  nullable(uuid()),
);
const MAX_ATTENDANTS = 20;
export const assignedPersonIds = field(
  'Ids of all people of the host who handle it, in the order of their names; empty where `assigned_person_id` is null.',
  list(uuid(), { max: MAX_ATTENDANTS }),
);

export const teamId = field(
  'Id of the team that it was handed to; null if none was named.',
  nullable(uuid()),
);
export const labels = field(
  'Its labels, in the order of the list of the host.',
  list(label, { max: MAX_LABELS }),
);
export const closeReason = field(
  'Why it was closed, of the reasons of the host; null while it is open, and where none was given.',
  nullable(reason),
);

const informationFields = {
  id: conversationId,
  dialogue_summary: field('Summary in a few sentences; empty until generated.', longText),
  main_topic: field('Main topic in a few words; empty until generated.', longText),
  user_name: field('Name of the end user; empty if unknown.', longText),
  tip: field('Advice for the staff member; empty until generated.', longText),
  wpp_id: field('WhatsApp number of the end user, as given; empty if unknown.', longText),
  archived,
  last_message_at: field(
    'Time of the last message, or of the start of the conversation if there is none: an instant in UTC, ISO 8601.',
    dateTime(),
  ),
  external_id: field('Id of the end user in a system of the caller; empty if none was given.', longText),
  heat_score: field('Interest of the end user: 0 (cold) to 100 (hot).', number({ min: 0, max: 100 })),
  heat_score_description: field('Explanation of the heat score; empty until generated.', longText),
  sentiment_score: field(
    'Sentiment of the end user: -1 (negative) to 1 (positive); 0 is neutral, and the value until generated.',
    number({ min: -1, max: 1 }),
  ),
  sentiment_score_explanation: field('Explanation of the sentiment score; empty until generated.', longText),
  lead_id: field('Id of the lead of the conversation; empty if there is none.', uuidOrEmpty()),
  ask_human_help: askHumanHelp,
  closed,
  assigned_to: assignedTo,
  assigned_person_id: assignedPersonId,
  assigned_person_ids: assignedPersonIds,
  team_id: teamId,
  labels,
  close_reason: closeReason,
};

export const conversationInformation = object(informationFields);

export const messageId = field(
  'Id of the message; a later message of the conversation has a higher one.',
  text(),
);
const messageAuthor = field(
  'Author: the end user, the assistant, or a staff member of the host (`human`).',
  oneOf('user', 'assistant', 'human'),
);
export const messageName = field(
  'Name of the author, as it was given; null if none was.',
  nullable(longText),
);
export const messagePersonId = field(
  'Id of the person of the host who wrote it in the console; null for any other message.',
  nullable(uuid()),
);

export const listedConversation = object({
  ...informationFields,
  contact_id: field('Id of the contact; empty if the end user is unknown.', uuidOrEmpty()),
  contact_name: field(
    'Name of the contact, as the CRM or the conversation gives it; empty if unknown.',
    longText,
  ),
  contact_email: field('E-mail address of the contact; empty if unknown.', longText),
  platform: field('Channel of the conversation, as in reports; `api` if none was named.', longText),
  help_asked_at: field(
    'Since when it waits for a staff member, or is handled by one; null where it does neither.',
    nullable(dateTime()),
  ),
  window_ends_at: field(
    'Until when its channel takes free text of staff, from the last message of the person and `window_hours` of the host; null where that has no end.',
    nullable(dateTime()),
  ),
  unanswered: field(
    'Whether its last question failed, or came after the last word of staff before it was given back, and neither the assistant nor a staff member has answered it since.',
    flag(),
  ),
  last_note_at: field(
    'Time of the last internal note: an instant in UTC, ISO 8601. Null if there was none.',
    nullable(dateTime()),
  ),
  last_message: field(
    'The last message; null if its row was deleted, or none was stored.',
    nullable(
      object({
        messageId,
        author: messageAuthor,
        name: messageName,
        personId: messagePersonId,
        content: field(
          'The first 200 characters of its text; empty if it is older than `RETENTION_DAYS`.',
          longText,
        ),
      }),
    ),
  ),
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
  assigned_to: null,
  assigned_person_id: null,
  assigned_person_ids: [],
  team_id: null,
  labels: [],
  close_reason: null,
};

export const assignedConversationExample = {
  ...conversationInformationExample,
  assigned_to: 'Bia Souza',
  assigned_person_id: PERSON_ID,
  assigned_person_ids: [PERSON_ID],
  team_id: TEAM_ID,
  labels: ['Boleto'],
};
export const listedConversationExample = {
  ...assignedConversationExample,
  ask_human_help: true,
  contact_id: CONTACT_ID,
  contact_name: 'Ana Lima',
  contact_email: 'ana@example.com',
  platform: 'whatsapp',
  help_asked_at: '2026-03-02T14:02:00.000Z',
  window_ends_at: '2026-03-03T14:05:09.120Z',
  unanswered: false,
  last_note_at: '2026-03-02T14:03:00.000Z',
  last_message: {
    messageId: '4711',
    author: 'user' as const,
    name: null,
    personId: null,
    content: 'Quero falar com uma pessoa.',
  },
};
