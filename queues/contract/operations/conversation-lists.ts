import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  nullable,
  object,
  oneOf,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { listedFile } from './attachment-shape.ts';
import {
  listedConversation,
  listedConversationExample,
  messageId,
  messageName,
  messagePersonId,
} from './conversation-information.ts';
import {
  CHUNK_ID,
  CONTACT_ID,
  CONVERSATION_ID,
  DATASET_ID,
  HOST_ID,
  JOB_ID,
  PERSON_ID,
  TEAM_ID,
} from './example-ids.ts';
import { listedFeedback } from './feedback.ts';
import { createdAt, hostFields, longText, ownHostFields, sentConversationId } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';
import { answerSource, unsupportedFigure, wppItem } from './turn-shape.ts';

const only = (which: string) => field(`Only conversations ${which}. When absent: all.`, optional(flag()));

/** How long a list of conversations may take, from its first page to its last. */
export const MAX_LISTING_HOURS = 24;

export const listConversations = operation({
  effect: 'reads',
  summary: 'List the conversations of a host',
  description:
    'Newest message first; those without a message are listed only if they are `unanswered`, such as after a recording that failed. All pages show the order as it was when the first one was read, so each conversation that was there is listed once, ' +
    `although messages arrive meanwhile; the rest of an item, and which items the filters take, is as it is when its page is read. A \`cursor\` is valid for ${MAX_LISTING_HOURS} hours ` +
    'after the first page.',
  weight: { kind: 'list', connections: 1 },
  tag: 'conversations',
  path: `${SVC}/conversationsListHelper`,
  body: object({
    ...hostFields,
    ...pageFields,
    ask_human_help: only('that wait for a staff member or are handled by one (true), or that do not (false)'),
    unanswered: only(
      'whose last question nobody has answered since it failed, or since staff was silent for too long, or the others',
    ),
    closed: only('that are closed, or that are open'),
    archived: only('that are archived, or that are not'),
    platform: field('Only conversations of this channel. When absent: of all.', optional(text())),
    assigned_to: field('Only conversations with this `assigned_to`. When absent: all.', optional(text())),
    assigned_person_id: field(
      'Only conversations that this person of the host handles, alone or with others. When absent: all.',
      optional(uuid()),
    ),
    team_id: field('Only conversations that were handed to this team. When absent: all.', optional(uuid())),
    label: field('Only conversations with this label. When absent: all.', optional(text())),
    own_teams_first: field(
      'True: first the conversations of the teams of which the person who asks is a member, then the others, each in the order of the list. When absent: false.',
      optional(flag()),
    ),
    order: field(
      '`newest_message`, or `longest_wait`: only conversations that wait for a staff member or are handled by one, the earliest request for help first. When absent: `newest_message`.',
      optional(oneOf('newest_message', 'longest_wait')),
    ),
    contactId: field('Only conversations of this contact. When absent: of all.', optional(uuid())),
    updatedSince: field(
      'Only conversations with a message or another change at or after this time; a date without a time means midnight in the time zone of the host. When absent: all.',
      optional(dateTime()),
    ),
  }),
  data: pageOf(listedConversation),
  example: {
    body: {
      hostId: HOST_ID,
      limit: 20,
      ask_human_help: true,
      unanswered: false,
      closed: false,
      archived: false,
      platform: 'whatsapp',
      assigned_to: 'Bia Souza',
      assigned_person_id: PERSON_ID,
      team_id: TEAM_ID,
      label: 'Boleto',
      own_teams_first: false,
      order: 'newest_message',
      contactId: CONTACT_ID,
      updatedSince: '2026-01-01T03:00:00.000Z',
    },
    data: { items: [listedConversationExample], nextCursor: null },
  },
  scope: 'reason',
});

const listedMessage = object({
  messageId,
  turnId: field(
    'Id of the turn that the message belongs to; null if it was appended outside of a turn.',
    nullable(text()),
  ),
  author: field(
    'Author: the end user, the assistant, a staff member of the host (`human`), one who wrote for the others only (`note`), or the service itself (`system`): a line that the conversation went back to the assistant.',
    oneOf('user', 'assistant', 'human', 'note', 'system'),
  ),
  name: messageName,
  personId: messagePersonId,
  content: field('Text as it was written; empty if it is older than `RETENTION_DAYS`.', longText),
  wppParsed: field(
    'An answer of the assistant split into WhatsApp messages, as it was sent; empty for other authors.',
    responseList(wppItem),
  ),
  sources: field(
    'Passages that carry sentences of an answer, as the turn returned them; empty for other authors.',
    responseList(answerSource),
  ),
  unsupported: field(
    'Figures of an answer that stood nowhere, as the turn returned them; empty for other authors.',
    responseList(unsupportedFigure),
  ),
  feedback: field(
    'What was said about an answer, by its person and by staff; empty for other authors.',
    responseList(listedFeedback),
  ),
  fromChannel: field(
    'Whether a staff member typed it on the phone of the channel, which no event tells.',
    flag(),
  ),
  attachments: field(
    'Files of a staff member, and those that the end user sent where the host has `keepAttachments`, in their order.',
    responseList(listedFile),
  ),
  delivery: field(
    'Whether a message of a staff member has reached a receiver of `message.sent`: one has answered 2xx (`delivered`), one is yet to be told (`pending`), ' +
      'or none could be (`failed`). Null for other messages, where no webhook wants the event, and when it is no longer kept.',
    nullable(oneOf('pending', 'delivered', 'failed')),
  ),
  nextAttemptAt: field(
    'When it is tried again, once an attempt has failed or its webhook keeps failing: an instant in UTC, ISO 8601; while that attempt runs, or the webhook is disabled, a ' +
      'time that may have passed. Null before, and where `delivery` is not `pending`.',
    nullable(dateTime()),
  ),
  createdAt,
});

export const listMessages = operation({
  effect: 'reads',
  summary: 'List the messages of a conversation',
  description:
    'Oldest first, those before the last divider, too. A page may have fewer items than `limit` if they are long. Internal notes are listed only with `notes: true`.',
  tag: 'conversations',
  path: `${SVC}/messagesListHelper`,
  body: object({
    conversationId: sentConversationId,
    ...ownHostFields,
    ...pageFields,
    notes: field(
      'Whether the notes of staff members stand among the messages: only for what the end user cannot see. When absent: false.',
      optional(flag()),
    ),
  }),
  data: pageOf(listedMessage),
  example: {
    body: { hostId: HOST_ID, conversationId: CONVERSATION_ID, limit: 20, notes: true },
    data: {
      items: [
        {
          messageId: '4711',
          turnId: JOB_ID,
          author: 'assistant' as const,
          name: null,
          personId: null,
          content: 'A biblioteca abre às **7h30**.',
          wppParsed: [{ type: 'text' as const, content: 'A biblioteca abre às *7h30*.' }],
          sources: [{ chunkId: CHUNK_ID, datasetId: DATASET_ID, sentences: [{ from: 0, to: 30 }] }],
          unsupported: [],
          feedback: [{ personId: null, score: 1, scale: null, text: '' }],
          fromChannel: false,
          attachments: [],
          delivery: null,
          nextAttemptAt: null,
          createdAt: '2026-03-02T14:05:09.120Z',
        },
      ],
      nextCursor: null,
    },
  },
  refusals: ['conversation-not-found'],
  scope: 'reason',
});
