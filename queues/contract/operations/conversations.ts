import { operation } from '../operation.ts';
import { field, flag, object, oneOf, optional, text, uuid } from '../shape.ts';
import { sentFiles } from './attachment-shape.ts';
import {
  archived,
  askHumanHelp,
  assignedConversationExample,
  assignedPersonId,
  assignedPersonIds,
  assignedTo,
  closed,
  closeReason,
  conversationInformation,
  conversationInformationExample,
  labels,
  teamId,
} from './conversation-information.ts';
import { CONVERSATION_ID, HOST_ID, PERSON_ID, TEAM_ID } from './example-ids.ts';
import { choosenHostId, globalData, hostId, ownHostFields, ownHostId, sentConversationId } from './fields.ts';
import { messageTemplate } from './message-template.ts';
import { PUBLIC, SVC } from './paths.ts';

const MAX_MESSAGE_LENGTH = 16_000;
const MAX_EXTERNAL_ID = 1_000;

export const createConversation = operation({
  effect: 'adds',
  summary: 'Create a conversation',
  description: 'Returns the id of the conversation, which all other calls about it take.',
  tag: 'conversations',
  path: `${PUBLIC}/createConversationId`,
  body: object({
    hostId,
    hostSlug: field('Short name of the host, such as `demo`; must belong to `hostId`.', text()),
    globalData: globalData(
      'Variables for every turn of the conversation: any names and values, for filters, flows and agents. `platform` is the channel in reports (`api` when absent).',
    ),
    choosenHostId,
  }),
  data: object({
    conversationId: field('Id of the new conversation.', uuid()),
  }),
  example: {
    body: { hostId: HOST_ID, hostSlug: 'demo', globalData: { platform: 'whatsapp' } },
    data: { conversationId: CONVERSATION_ID },
  },
  scope: 'reason',
});

export const getConversationInformation = operation({
  effect: 'reads',
  summary: 'Get the state of a conversation',
  description:
    'Summary, topic, tip, heat and sentiment are generated in the background once no answer came for a while, or when this is called; the first ones are waited for, up to 5 s. The previous values stay if that fails. ' +
    'The response is cached for five minutes, or until the conversation is written to.',
  tag: 'conversations',
  path: `${SVC}/getConversationInformation`,
  aliases: [`${SVC}/getConversationInformationHelper`],
  body: object({
    conversationId: sentConversationId,
    ...ownHostFields,
  }),
  data: conversationInformation,
  example: {
    body: { hostId: HOST_ID, conversationId: CONVERSATION_ID },
    data: conversationInformationExample,
  },
  refusals: ['conversation-not-found'],
  scope: 'reason',
  cache: { seconds: 300, table: 'conversations', idField: 'conversationId' },
});

export const updateConversation = operation({
  effect: 'changes',
  summary: 'Update the state of a conversation',
  description:
    'Updates only the given fields. `ask_human_help: false` hands the conversation back to the assistant. Closing also ends the ' +
    'request for help and the assignment, unless the same call sets them. ' +
    '`closed: false` reopens the conversation with its context; a question to a closed conversation starts without it. ' +
    'With `ask_human_help: true` within 20 seconds of the closing it takes that back: the request for help is the one of before. ' +
    '`assigned_person_id` assigns a person of the host under the present name, with `assigned_person_ids` several, of whom that one is the first. Of an ' +
    '`assigned_to` beside them, the names after as many as there are people stay. `assigned_to` alone is a name as the caller knows it, and is looked up ' +
    'nowhere: `assigned_person_id` is then null, unless the name is the one of before. ' +
    '`team_id` passes the conversation to that team: unless the same call says otherwise, it waits for a staff member, and nobody is assigned. ' +
    '`labels` replaces all labels, each of the list of the host or one that it has. `close_reason` goes with `closed: true`.',
  tag: 'conversations',
  path: `${SVC}/updateConversationHelper`,
  body: object({
    conversationId: sentConversationId,
    hostId: ownHostId,
    archived: optional(archived),
    closed: optional(closed),
    ask_human_help: optional(askHumanHelp),
    assigned_to: optional(assignedTo),
    assigned_person_id: optional(assignedPersonId),
    assigned_person_ids: optional(assignedPersonIds),
    team_id: optional(teamId),
    labels: optional(labels),
    close_reason: optional(closeReason),
    external_id: field(
      'Id of the end user in a system of the caller; empty clears it.',
      optional(text({ min: 0 })),
    ),
    wpp_id: field(
      'WhatsApp number of the end user, in any common format; empty clears it.',
      optional(text({ min: 0 })),
    ),
    choosenHostId,
  }),
  data: conversationInformation,
  example: {
    body: {
      hostId: HOST_ID,
      conversationId: CONVERSATION_ID,
      archived: false,
      closed: false,
      ask_human_help: true,
      assigned_to: 'Bia Souza',
      assigned_person_id: PERSON_ID,
      assigned_person_ids: [PERSON_ID],
      team_id: TEAM_ID,
      labels: ['Boleto'],
      external_id: 'crm-4711',
      wpp_id: '+55 11 98765-4321',
    },
    data: assignedConversationExample,
  },
  refusals: ['conversation-not-found', 'person-not-found', 'team-not-found'],
  scope: 'reason',
});

export const appendMessage = operation({
  effect: 'adds',
  summary: 'Append a message to a conversation',
  description:
    'Stores a message of a staff member (`human`), one that the end user sent over another channel (`user`), or a note that staff members write for each other (`note`). After a request for human help, the ' +
    'first message of a staff member mutes the assistant until `ask_human_help` is set to false. What a staff member writes is told to webhooks as `message.sent`, so that the channel can send it, with its files. The message is not answered; one of the end user reopens a closed conversation. ' +
    'With `from_channel` it was typed on the phone of the channel, which has it already: no event tells it, and it takes the conversation over at once. ' +
    'What the channel echoes, the assistant’s answers of the last two minutes and what staff sent, is stored no second time. ' +
    'A note changes nothing of the conversation: no event, channel, assistant, search or report has it, and only `messagesListHelper` with `notes: true` lists it.',
  tag: 'conversations',
  path: `${SVC}/appendMessageHelper`,
  body: object({
    conversationId: sentConversationId,
    hostId: ownHostId,
    content: field(
      'Text of the message. Required unless `attachments` are given.',
      optional(text({ max: MAX_MESSAGE_LENGTH })),
    ),
    attachments: sentFiles,
    author: field(
      'Author of the message: `human` is a staff member of the host, `user` the end user; `note` is a staff member who writes for the others only.',
      oneOf('human', 'user', 'note'),
    ),
    name: field(
      'Name of the author, shown with the message. When absent: none; with `from_channel`: `Celular`.',
      optional(text({ min: 0 })),
    ),
    from_channel: field(
      'Whether a staff member (`human`) typed it on the phone of the channel. Then `assigned_to` is their name, where nobody attends. When absent: false.',
      optional(flag()),
    ),
    external_id: field(
      'Id of the message at the channel: with the same one nothing is stored again. When absent: none.',
      optional(text({ max: MAX_EXTERNAL_ID })),
    ),
    template: field(
      'Of a staff member: the template of the channel to send, with `content` as what it says. It is told as it comes, and sent after the window of the channel (`window_hours` of the host), too. When absent: none.',
      optional(messageTemplate),
    ),
    choosenHostId,
  }),
  data: conversationInformation,
  example: {
    body: {
      hostId: HOST_ID,
      conversationId: CONVERSATION_ID,
      content: 'Oi, Ana! Aqui é a Bia, da secretaria.',
      author: 'human',
      name: 'Bia',
      external_id: 'wamid.4711',
      template: { name: 'retomada', language: 'pt_BR', values: ['Ana'] },
    },
    data: { ...conversationInformationExample, ask_human_help: true },
  },
  status: 201,
  refusals: [
    'conversation-not-found',
    'attachments-waiting',
    'files-full',
    'document-too-large',
    'window-closed',
    'files-unavailable',
  ],
  scope: 'reason',
  extras: ['attachments', 'address'],
});
