import { operation } from '../operation.ts';
import { field, object, oneOf, optional, text, uuid } from '../shape.ts';
import {
  archived,
  askHumanHelp,
  closed,
  conversationInformation,
  conversationInformationExample,
} from './conversation-information.ts';
import { CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { choosenHostId, conversationId, globalData, hostId, ownHostId } from './fields.ts';
import { PUBLIC, SVC } from './paths.ts';

const LONGEST_MESSAGE = 16_000;

export const createConversation = operation({
  summary: 'Start a conversation',
  description: 'Gives the id under which questions are asked; it is unique and usable in every other call.',
  queue: 'catalog',
  tag: 'conversations',
  method: 'POST',
  path: `${PUBLIC}/createConversationId`,
  body: object({
    hostId,
    hostSlug: field('Short name of the host, such as `demo`; it has to be that of `hostId`.', text()),
    globalData: globalData(
      'What every turn of the conversation shall know: any names and values, for filters, flows and agents. `platform` names the channel in reports (`api` when absent).',
    ),
    choosenHostId,
  }),
  data: object({
    conversationId: field('Id of the new conversation, for every call that is about it.', uuid()),
  }),
  example: {
    body: { hostId: HOST_ID, hostSlug: 'demo', globalData: { platform: 'whatsapp' } },
    data: { conversationId: CONVERSATION_ID },
  },
  status: 200,
  refusals: [],
  scope: 'reason',
  hosts: 'one',
});

export const getConversationInformation = operation({
  summary: 'See a conversation at a glance',
  description:
    'Summary, topic, tip, heat and mood are made in the background, a second after the last answer, and kept when they cannot be made anew. ' +
    'The answer is cached for five minutes, or until anything is written to the conversation.',
  queue: 'catalog',
  tag: 'conversations',
  method: 'POST',
  path: `${SVC}/getConversationInformation`,
  aliases: [`${SVC}/getConversationInformationHelper`],
  body: object({
    conversationId,
    hostId: ownHostId,
    choosenHostId,
  }),
  data: conversationInformation,
  example: { body: { conversationId: CONVERSATION_ID }, data: conversationInformationExample },
  status: 200,
  refusals: ['conversation-not-found'],
  scope: 'reason',
  hosts: 'one',
  cache: { seconds: 300, of: 'conversations', field: 'conversationId' },
});

export const updateConversation = operation({
  summary: 'Set the state of a conversation',
  description:
    'Changes what is given and nothing else. With `ask_human_help: false` the assistant takes over again from the person who attended; ' +
    'with `closed: false` the conversation goes on where it stood, while a question to a closed one begins anew.',
  queue: 'catalog',
  tag: 'conversations',
  method: 'POST',
  path: `${SVC}/updateConversationHelper`,
  body: object({
    conversationId,
    hostId: ownHostId,
    archived: optional(archived),
    closed: optional(closed),
    ask_human_help: optional(askHumanHelp),
    external_id: field(
      'Id of the person in a system of the caller; empty clears it.',
      optional(text({ min: 0 })),
    ),
    wpp_id: field(
      'WhatsApp number of the person, in any common form; empty clears it.',
      optional(text({ min: 0 })),
    ),
    choosenHostId,
  }),
  data: conversationInformation,
  example: {
    body: { conversationId: CONVERSATION_ID, ask_human_help: false },
    data: conversationInformationExample,
  },
  status: 200,
  refusals: ['conversation-not-found'],
  scope: 'reason',
  hosts: 'one',
});

export const appendMessage = operation({
  summary: 'Put a message into a conversation',
  description:
    'What a person of the host wrote (`human`), or the user on another way (`user`). Once help was asked for, the first message of a person ' +
    'silences the assistant until `ask_human_help` is cleared. Nobody answers, and a closed conversation stays closed.',
  queue: 'catalog',
  tag: 'conversations',
  method: 'POST',
  path: `${SVC}/appendMessageHelper`,
  body: object({
    conversationId,
    hostId: ownHostId,
    content: field('What was written, word for word.', text({ max: LONGEST_MESSAGE })),
    author: field(
      'Who wrote it: `human` is a person of the host, `user` the person whom the host serves.',
      oneOf('human', 'user'),
    ),
    name: field(
      'Name of whoever wrote it, shown beside the message. When absent: none.',
      optional(text({ min: 0 })),
    ),
    choosenHostId,
  }),
  data: conversationInformation,
  example: {
    body: {
      conversationId: CONVERSATION_ID,
      content: 'Oi, Ana! Aqui é a Bia, da secretaria.',
      author: 'human',
      name: 'Bia',
    },
    data: { ...conversationInformationExample, ask_human_help: true },
  },
  status: 201,
  refusals: ['conversation-not-found'],
  scope: 'reason',
  hosts: 'one',
});
