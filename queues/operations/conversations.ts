import { operation } from '../operation.ts';
import { flag, freeObject, object, oneOf, optional, text, uuid } from '../shape.ts';
import { conversationInformation, conversationInformationExample } from './conversation-information.ts';
import { CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { PUBLIC, SVC } from './paths.ts';

const LONGEST_MESSAGE = 16_000;

export const createConversation = operation({
  summary: 'Start a conversation',
  description: 'Gives the id under which questions are asked; it is unique and usable in every other call.',
  queue: 'catalog',
  method: 'POST',
  path: `${PUBLIC}/createConversationId`,
  body: object({
    hostId: uuid(),
    hostSlug: text(),
    globalData: optional(freeObject()),
    choosenHostId: optional(uuid()),
  }),
  data: object({ conversationId: uuid() }),
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
  method: 'POST',
  path: `${SVC}/getConversationInformation`,
  aliases: [`${SVC}/getConversationInformationHelper`],
  body: object({
    conversationId: uuid(),
    hostId: optional(uuid()),
    choosenHostId: optional(uuid()),
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
  method: 'POST',
  path: `${SVC}/updateConversationHelper`,
  body: object({
    conversationId: uuid(),
    hostId: optional(uuid()),
    archived: optional(flag()),
    closed: optional(flag()),
    ask_human_help: optional(flag()),
    external_id: optional(text({ min: 0 })),
    wpp_id: optional(text({ min: 0 })),
    choosenHostId: optional(uuid()),
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
  method: 'POST',
  path: `${SVC}/appendMessageHelper`,
  body: object({
    conversationId: uuid(),
    hostId: optional(uuid()),
    content: text({ max: LONGEST_MESSAGE }),
    author: oneOf('human', 'user'),
    name: optional(text({ min: 0 })),
    choosenHostId: optional(uuid()),
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
