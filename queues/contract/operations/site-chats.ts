import { operation } from '../operation.ts';
import {
  field,
  flag,
  idAlsoNamed,
  integer,
  list,
  object,
  optional,
  optionalFields,
  patternText,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { AVATAR_ID, HOST_ID, SITE_CHAT_ID } from './example-ids.ts';
import { avatarId, createdAt, hostFields, hostOfObject } from './fields.ts';
import { SVC } from './paths.ts';

const ofSiteChats = { tag: 'site chats', scope: 'manage' } as const;

const MAX_ORIGINS = 20;

/** Where a new one differs from its defaults, it says so. */
const required = {
  avatarId: field('Id of the avatar that answers.', avatarId),
  origins: field(
    'Origins of the pages that may have it, such as https://www.exemplo.edu.br; a page of another origin is refused.',
    list(text({ max: 300 }), { min: 1, max: MAX_ORIGINS }),
  ),
  title: field('Title of the chat, as visitors see it.', text({ max: 60 })),
};

const settings = {
  greeting: field('What stands in the chat before the first question.', text({ min: 0, max: 500 })),
  colour: field(
    'Colour of the button and of what visitors write.',
    patternText(/^#[0-9a-f]{6}$/i, 'a colour such as #1a4fa3'),
  ),
  enabled: field('Whether visitors may use it.', flag()),
  showSources: field('Whether visitors may open the passages that carry an answer.', flag()),
  visitorQuestionsPerHour: field(
    'The most questions of one visitor in an hour.',
    integer({ min: 1, max: 10_000 }),
  ),
  addressQuestionsPerHour: field(
    'The most questions of one address in an hour: a campus may have one address.',
    integer({ min: 1, max: 100_000 }),
  ),
  questionsPerDay: field('The most questions in 24 hours.', integer({ min: 1, max: 10_000_000 })),
};

export const siteChatDefaults = {
  greeting: '',
  colour: '#1a4fa3',
  enabled: true,
  showSources: true,
  visitorQuestionsPerHour: 20,
  addressQuestionsPerHour: 60,
  questionsPerDay: 2_000,
};

const siteChat = object({
  chatId: field('Id of the chat, by which it is changed.', uuid()),
  hostId: hostOfObject,
  publicKey: field(
    'Key of the chat, for the script in the pages. It is no secret, and never changes.',
    text(),
  ),
  ...required,
  ...settings,
  createdAt,
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const sent = {
  avatarId: AVATAR_ID,
  origins: ['https://www.exemplo.edu.br'],
  title: 'Atendimento',
  ...siteChatDefaults,
  greeting: 'Olá! Como posso ajudar?',
};

const example = {
  chatId: SITE_CHAT_ID,
  hostId: HOST_ID,
  publicKey: 'chat_Zk3v9QmW2sXc7bT1nLr8yA',
  ...sent,
  createdAt: '2026-03-02T14:05:09.120Z',
};

export const listSiteChats = operation({
  ...ofSiteChats,
  effect: 'reads',
  summary: 'List the chats on sites of a host',
  description: 'The oldest first.',
  path: `${SVC}/siteChatsListHelper`,
  body: object(hostFields),
  data: responseList(siteChat),
  example: { body: { hostId: HOST_ID }, data: [example] },
});

export const saveSiteChat = operation({
  ...ofSiteChats,
  effect: 'changes',
  summary: 'Create, change or delete a chat on a site',
  description:
    'With `chatId` it is changed: omitted fields stay unchanged. The pages of its origins get the chat by a script tag with the address of `/site-chat/chat.js` and the ' +
    '`publicKey` in `data-key`. A deleted one no longer answers; its conversations stay. At most 50 a host.',
  path: `${SVC}/saveSiteChatHelper`,
  body: object({
    chatId: field(
      'Id of the chat to change. When absent: a new one is created.',
      optional(idAlsoNamed('id')),
    ),
    ...hostFields,
    ...optionalFields(required, 'unchanged; a new one needs it'),
    ...optionalFields(settings, 'unchanged, or the default of a new one'),
    deleted: field('True deletes it. When absent: false.', optional(flag())),
  }),
  data: siteChat,
  example: {
    body: { chatId: SITE_CHAT_ID, hostId: HOST_ID, ...sent, deleted: false },
    data: example,
  },
  refusals: ['site-chat-not-found', 'avatar-not-found', 'host-full'],
});
