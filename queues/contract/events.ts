import { fieldError } from '../../platform/field-error.ts';
import { sentFile } from './operations/attachment-shape.ts';
import {
  documentId,
  gone,
  incomplete,
  scans,
  struck,
  unreadableReason,
} from './operations/document-shape.ts';
import {
  CONTRADICTION_ID,
  CONVERSATION_ID,
  DATASET_ID,
  DOCUMENT_ID,
  FILE_ID,
  HOST_ID,
  JOB_ID,
  PERSON_ID,
  TEAM_ID,
  TICKET_ID,
} from './operations/example-ids.ts';
import { conversationId, fieldErrorShape } from './operations/fields.ts';
import { messageTemplate } from './operations/message-template.ts';
import { wppItem } from './operations/turn-shape.ts';
import {
  anyValue,
  dateTime,
  field,
  flag,
  freeObject,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  responseList,
  type Shape,
  type TypeOf,
  text,
  uuid,
} from './shape.ts';

/*
 * Receivers of a host get these events. The data name the subject of the event by ids; only `message.sent`, `agent.ran` and
 * `job.completed` have texts of a conversation.
 */

const longText = text({ min: 0, max: 1_000_000 });
const count = integer({ min: 0 });

export const MAX_NAMED_CONTRADICTIONS = 10;

interface EventType<T> {
  readonly summary: string;
  readonly data: Shape<T>;
  readonly example: T;
}

function eventType<T>(declared: EventType<T>): EventType<T> {
  return declared;
}

const wanted = {
  'turn.answered': eventType({
    summary: 'The assistant has answered a question',
    data: object({
      turnId: field('Id of the answered turn: the id of its job.', text()),
      conversationId,
      askHumanHelp: field('Whether the conversation waits for a staff member after the turn.', flag()),
    }),
    example: { turnId: JOB_ID, conversationId: CONVERSATION_ID, askHumanHelp: false },
  }),
  'turn.failed': eventType({
    summary: 'A turn got no answer of a model',
    data: object({
      turnId: field('Id of the turn: the id of its job.', text()),
      conversationId,
      code: field(
        'HTTP status of the failure: 408 at the deadline, 429 where a budget is spent, 503 where no model answered or the turn was interrupted, 500 for a bug.',
        integer(),
      ),
    }),
    example: { turnId: JOB_ID, conversationId: CONVERSATION_ID, code: 503 },
  }),
  'message.sent': eventType({
    summary: 'A staff member has written to the end user, and the channel is to send it',
    data: object({
      messageId: field('Id of the message, as in messagesListHelper.', text()),
      conversationId,
      name: field('Name of the staff member, as it was given; null if none was.', nullable(longText)),
      content: field('Text as it was written.', longText),
      wppParsed: field('The same as WhatsApp messages, in the form of an answer.', responseList(wppItem)),
      attachments: field('Files that go with it, in their order.', responseList(sentFile)),
      template: field(
        'The template of the channel to send in place of the text, as it was given. Absent: the text.',
        optional(messageTemplate),
      ),
    }),
    example: {
      messageId: '4711',
      conversationId: CONVERSATION_ID,
      name: 'Bia',
      content: 'Oi, Ana! Aqui é a Bia, da secretaria.',
      wppParsed: [{ type: 'text' as const, content: 'Oi, Ana! Aqui é a Bia, da secretaria.' }],
      attachments: [
        {
          id: FILE_ID,
          name: 'boleto.pdf',
          content_type: 'application/pdf',
          size: 48_213,
          url: `https://parley.example/files/${HOST_ID}/${FILE_ID}?expires=1773065109&signature=pL3Zq5…`,
        },
      ],
    },
  }),
  'feedback.given': eventType({
    summary: 'Somebody said whether an answer was right',
    data: object({
      conversationId,
      turnId: field('Id of the turn of the answer.', text()),
      personId: field(
        'Id of the staff member who said so; null: the person of the conversation did.',
        nullable(uuid()),
      ),
      score: field('-1 for wrong and 1 for right; with `scale` from 1 to 5.', integer({ min: -1, max: 5 })),
      scale: field('5, or null for -1 and 1.', nullable(integer())),
    }),
    example: { conversationId: CONVERSATION_ID, turnId: JOB_ID, personId: null, score: -1, scale: null },
  }),
  'conversation.handover_requested': eventType({
    summary: 'A conversation begins to wait for a staff member',
    data: object({
      conversationId,
      reason: field(
        'Why: a reason of the assistant, `flow_step` for a step of its flow, or `caller_request` for updateConversationHelper.',
        oneOf(
          'customer_request',
          'missing_knowledge',
          'unsupported_request',
          'policy_restriction',
          'tool_failure',
          'flow_step',
          'caller_request',
        ),
      ),
      teamId: field('Id of the team that it was handed to. Absent if none was named.', optional(uuid())),
    }),
    example: { conversationId: CONVERSATION_ID, reason: 'customer_request' as const },
  }),
  'conversation.reassigned': eventType({
    summary: 'A conversation went back to its team: those to whom it was passed have not written in time',
    data: object({
      conversationId,
      teamId: field('Id of the team for which it waits again.', uuid()),
      assignedPersonIds: field(
        'Ids of the people of the host who handled it until then.',
        list(uuid(), { max: 20 }),
      ),
    }),
    example: { conversationId: CONVERSATION_ID, teamId: TEAM_ID, assignedPersonIds: [PERSON_ID] },
  }),
  'conversation.closed': eventType({
    summary: 'A conversation was closed',
    data: object({ conversationId }),
    example: { conversationId: CONVERSATION_ID },
  }),
  'conversation.idle': eventType({
    summary: 'A person has been silent since an answer for as long as the avatar waits',
    data: object({
      conversationId,
      lastMessageAt: field('Time of the last message: an instant in UTC, ISO 8601.', dateTime()),
      lastAuthor: field('Its author.', oneOf('assistant')),
    }),
    example: {
      conversationId: CONVERSATION_ID,
      lastMessageAt: '2026-03-02T14:05:09.120Z',
      lastAuthor: 'assistant' as const,
    },
  }),
  'conversation.returned': eventType({
    summary: 'A conversation that a person attended is with the assistant again, because staff did not write',
    data: object({
      conversationId,
      afterMinutes: field('Minutes without a word of staff: `return_after_minutes` of the host.', count),
    }),
    example: { conversationId: CONVERSATION_ID, afterMinutes: 30 },
  }),
  'conversation.window_closing': eventType({
    summary: 'The channel will soon take no free text, because the person has not written',
    data: object({
      conversationId,
      windowEndsAt: field('When that is: an instant in UTC, ISO 8601.', dateTime()),
    }),
    example: { conversationId: CONVERSATION_ID, windowEndsAt: '2026-03-03T14:05:09.120Z' },
  }),
  'ticket.opened': eventType({
    summary: 'The assistant has opened a ticket',
    data: object({
      ticketId: field('Id of the new ticket, as in the answer of the turn.', text()),
      conversationId,
      subject: field('Subject of the ticket.', longText),
    }),
    example: { ticketId: TICKET_ID, conversationId: CONVERSATION_ID, subject: 'Segunda via do boleto' },
  }),
  'agent.ran': eventType({
    summary: 'An agent of the host was run in a turn',
    data: object({
      agentName: field('The agent that was run, by its name at that host.', longText),
      schemaName: field('Name of its schema.', longText),
      data: field('Its arguments, which match the schema.', freeObject()),
      conversationId,
    }),
    example: {
      agentName: 'agendar_visita',
      schemaName: 'visita',
      data: { dia: '2026-03-05' },
      conversationId: CONVERSATION_ID,
    },
  }),
  'record.refused': eventType({
    summary: 'A record of the CRM was refused and is stored as received',
    data: object({
      kind: field('Kind of the record.', oneOf('tickets', 'deals', 'objects')),
      external_id: field('Id of the record in the CRM; null if it named none.', nullable(longText)),
      fields: field('The wrong fields.', list(fieldErrorShape, { max: 100 })),
    }),
    example: {
      kind: 'tickets' as const,
      external_id: '4711',
      fields: [fieldError('email', 'required')],
    },
  }),
  'insight.updated': eventType({
    summary: 'The insight of a conversation was made again',
    data: object({
      conversationId,
      heat_score: field('Interest of the end user: 0 (cold) to 100 (hot).', number({ min: 0, max: 100 })),
      sentiment_score: field(
        'Sentiment of the end user: -1 (negative) to 1 (positive).',
        number({ min: -1, max: 1 }),
      ),
    }),
    example: { conversationId: CONVERSATION_ID, heat_score: 42, sentiment_score: 0.2 },
  }),
  'budget.reached': eventType({
    summary: 'The spend of the host has reached a part of its budget',
    data: object({
      percent: field(
        'Percent of the budget: 80 or 100; 100 also when a call is refused for it.',
        integer({ min: 0, max: 100 }),
      ),
      period: field('Whose budget it is.', oneOf('day', 'month')),
    }),
    example: { percent: 80, period: 'month' as const },
  }),
  'import.finished': eventType({
    summary: 'The import of a document has ended',
    data: object({
      jobId: field('Id of the import, as in the answer of importDocumentHelper.', text()),
      documentId,
      datasetId: field('Id of the dataset of the document.', uuid()),
      reason: field(
        'Why the import changed nothing, as at GET /jobs/{jobId}; null where it succeeded.',
        nullable(unreadableReason),
      ),
      added: field('Number of chunks that were added.', count),
      kept: field('Number of chunks that stayed as they were; 0 where nothing was changed.', count),
      removed: field('Number of chunks that were removed.', count),
      incomplete: field(
        'What could not be read of a site: its chunks stay. Absent where all was read.',
        optional(incomplete),
      ),
      gone: field(
        'Pages of a site that answer 404 or 410: their chunks are removed. Absent where there are none.',
        optional(gone),
      ),
      struck: field(
        'Number of texts that were left out as struck through. Absent where there are none.',
        optional(struck),
      ),
      scans: field(
        'Pages of a PDF whose text is in pictures, read by a model or not. Absent where there are none.',
        optional(scans),
      ),
    }),
    example: {
      jobId: JOB_ID,
      documentId: DOCUMENT_ID,
      datasetId: DATASET_ID,
      reason: null,
      added: 12,
      kept: 202,
      removed: 9,
    },
  }),
  'document.changed': eventType({
    summary: 'An address that is read again by itself has changed, or has trouble',
    data: object({
      jobId: field('Id of the import, for GET /jobs/{jobId}.', text()),
      documentId,
      datasetId: field('Id of the dataset of the document.', uuid()),
      reason: field(
        'Why nothing was changed, as at GET /jobs/{jobId}, told once; null where it was read.',
        nullable(unreadableReason),
      ),
      added: field('Number of chunks that were added.', count),
      kept: field('Number of chunks that stayed as they were; 0 where nothing was changed.', count),
      removed: field('Number of chunks that were removed.', count),
      incomplete: field(
        'What could not be read of a site: its chunks stay. Absent where all was read.',
        optional(incomplete),
      ),
      gone: field(
        'Pages that answer 404 or 410: their chunks are removed. Absent where there are none.',
        optional(gone),
      ),
    }),
    example: {
      jobId: JOB_ID,
      documentId: DOCUMENT_ID,
      datasetId: DATASET_ID,
      reason: null,
      added: 1,
      kept: 213,
      removed: 1,
    },
  }),
  'contradiction.found': eventType({
    summary: 'New contradictions of passages were found',
    data: object({
      datasetId: field('Id of the dataset of the first passage of each.', uuid()),
      count: field(
        'Number of contradictions that are open and were not before: none is told twice while both passages stand, nor one that staff dismissed. A passage that an import rewrites is another one.',
        integer({ min: 1 }),
      ),
      contradictionIds: field(
        'Ids of the clearest of them, as in contradictionsListHelper and, of approved answers, approvedAnswersListHelper.',
        list(uuid(), { min: 1, max: MAX_NAMED_CONTRADICTIONS }),
      ),
    }),
    example: { datasetId: DATASET_ID, count: 1, contradictionIds: [CONTRADICTION_ID] },
  }),
};

/** This event goes to the one webhook that it is meant for, whatever that wants. */
const direct = {
  'webhook.test': eventType({
    summary: 'A test, asked for by testWebhookHelper',
    data: object({}),
    example: {},
  }),
  'job.completed': eventType({
    summary: 'A job that was requested with X-Callback-Url has ended',
    data: object({
      jobId: field('Id of the job, as in the 202.', text()),
      state: field('As `state` of GET /jobs/{jobId}.', oneOf('completed', 'failed')),
      code: field('HTTP status of the reply.', integer()),
      data: field('The `data` of the reply, as in a synchronous response.', optional(anyValue())),
    }),
    example: {
      jobId: JOB_ID,
      state: 'completed' as const,
      code: 200,
      data: { assistantResponse: { string: 'Das 9h às 18h.' } },
    },
  }),
};

export const eventTypes = { ...wanted, ...direct };

export type WantedEventType = keyof typeof wanted;
export type EventTypeName = keyof typeof eventTypes;
export type EventData<N extends EventTypeName> = TypeOf<(typeof eventTypes)[N]['data']>;

export const wantedEventTypes = Object.keys(wanted) as WantedEventType[];
export const eventTypeNames = Object.keys(eventTypes) as EventTypeName[];

/** The body of a delivery. */
export function eventBodyOf(name: EventTypeName) {
  return object({
    type: field('Type of the event.', oneOf(name)),
    timestamp: field('When it happened: an instant in UTC, ISO 8601.', dateTime()),
    data: field('What it is about.', eventTypes[name].data as Shape<unknown>),
  });
}
