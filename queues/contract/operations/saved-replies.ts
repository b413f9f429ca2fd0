import { operation } from '../operation.ts';
import { field, flag, idAlsoNamed, object, optional, responseList, text, uuid } from '../shape.ts';
import { HOST_ID, REPLY_ID } from './example-ids.ts';
import { createdAt, hostFields, hostOfObject } from './fields.ts';
import { SVC } from './paths.ts';

const ofReplies = { tag: 'people', scope: 'reason' } as const;

/** No message may be longer. */
const MAX_LENGTH = 16_000;

const name = field('Short name, by which the reply is found. Two may have the same.', text());
const content = field(
  'What is written to the end user. The page writes the first name of the person for `{nome}`.',
  text({ max: MAX_LENGTH }),
);
const onlyMine = field('Whether only who wrote it sees it; otherwise all of the host do.', flag());

const savedReply = object({
  replyId: field('Id of the prepared reply.', uuid()),
  hostId: hostOfObject,
  name,
  text: content,
  onlyMine,
  createdAt,
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const example = {
  replyId: REPLY_ID,
  hostId: HOST_ID,
  name: 'Segunda via',
  text: 'Olá, {nome}! Já enviei a segunda via do boleto.',
  onlyMine: false,
  createdAt: '2026-03-02T14:05:09.120Z',
};

export const listSavedReplies = operation({
  ...ofReplies,
  effect: 'reads',
  summary: 'List the prepared replies of a host',
  description:
    'Those of the host, and those that only the caller sees: the person, or the token. Sorted by name.',
  path: `${SVC}/savedRepliesListHelper`,
  body: object(hostFields),
  data: responseList(savedReply),
  example: { body: { hostId: HOST_ID }, data: [example] },
});

export const saveSavedReply = operation({
  ...ofReplies,
  effect: 'changes',
  summary: 'Create, change or delete a prepared reply',
  description:
    'With `id` it is changed: omitted fields stay unchanged. One that only somebody else sees does not exist for the caller. ' +
    'The audit has its name and who changed it, not its text. At most 1,000 a host.',
  path: `${SVC}/saveSavedReplyHelper`,
  body: object({
    id: field(
      'Id of the reply to change. When absent: a new one is created.',
      optional(idAlsoNamed('replyId')),
    ),
    ...hostFields,
    name: field('Short name; required for a new one.', optional(name)),
    text: field('What is written to the end user; required for a new one.', optional(content)),
    onlyMine: field(
      'True: only the caller sees it from now on. When absent: false for a new one.',
      optional(onlyMine),
    ),
    deleted: field('True deletes it. When absent: false.', optional(flag())),
  }),
  data: savedReply,
  example: {
    body: {
      id: REPLY_ID,
      hostId: HOST_ID,
      name: example.name,
      text: example.text,
      onlyMine: false,
      deleted: false,
    },
    data: example,
  },
  refusals: ['reply-not-found', 'host-full'],
});
