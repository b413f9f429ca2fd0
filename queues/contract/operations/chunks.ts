import { MAX_BODY_BYTES } from '../body-limit.ts';
import { operation } from '../operation.ts';
import { dateTime, field, flag, idAlsoNamed, integer, list, object, optional, text, uuid } from '../shape.ts';
import {
  chunk,
  content,
  datasetId,
  editedChunk,
  exampleChunk,
  exampleContent,
  exampleListedChunk,
  listedChunk,
  peopleWords,
  sentFilter,
  sentValidity,
} from './chunk-shape.ts';
import { evaluate, evaluateRefusals } from './evaluation-shape.ts';
import { AVATAR_ID, CHUNK_ID, CONVERSATION_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import {
  avatarId,
  choosenHostId,
  conversationId,
  datasetName,
  hostId,
  MAX_DATASETS,
  MAX_QUESTION_LENGTH,
  ownHostFields,
} from './fields.ts';
import { SVC } from './paths.ts';

export const MAX_CHUNKS_READ = 10_000;
/** One request may name this many. */
const MAX_CHUNK_IDS = 100;

const LAST_OFFSET = 10_000_000;

const head =
  'A content whose first line is `---` alone has its filter there instead: `key: value` lines up to the next such line (`a, b`, `[a, b]` or a list of lines are alternatives), which are ' +
  'no part of the stored text. Where a dataset is `filtered_rag`, a first line that only looks like that, such as `—` or `-` alone, is refused, unless `filter` is given.';

export const createChunk = operation({
  effect: 'adds',
  summary: 'Create a chunk in a dataset',
  description: `The avatars of the dataset can use it as soon as the response is sent. ${head}`,
  tag: 'knowledge',
  path: `${SVC}/createChunkHelper`,
  body: object({
    host_id: hostId,
    content,
    filter: sentFilter('When absent: it is for everybody.'),
    dataset_id: datasetId,
    ...sentValidity('there is no such limit'),
    choosenHostId,
  }),
  data: chunk,
  example: {
    body: { host_id: HOST_ID, content: exampleContent, dataset_id: [DATASET_ID] },
    data: exampleChunk,
  },
  status: 201,
  refusals: ['dataset-not-found'],
  scope: 'manage',
});

export const editChunk = operation({
  effect: 'changes',
  summary: 'Update or delete a chunk',
  description: `A chunk cannot be moved: \`dataset_id\` must be its dataset. \`deleted: true\` deletes it; otherwise \`content\`, \`people_words\` or an end of its validity is required. ${head}`,
  tag: 'knowledge',
  path: `${SVC}/editChunkHelper`,
  body: object({
    id: field(
      'Id of the chunk, as returned by createChunkHelper or chunkReadHelper.',
      idAlsoNamed('chunk_id'),
    ),
    host_id: hostId,
    content: field(
      'New text of the chunk in Markdown. Optional if `deleted` is true, or with another field to change.',
      optional(content),
    ),
    people_words: optional(peopleWords),
    filter: sentFilter('When absent: it stays as it is; `{}` opens the chunk to everybody.'),
    dataset_id: datasetId,
    ...sentValidity('it stays as it is'),
    deleted: field(
      'True deletes the chunk permanently. When absent or false: it is updated.',
      optional(flag()),
    ),
    evaluate,
    choosenHostId,
  }),
  data: editedChunk,
  example: {
    body: {
      id: CHUNK_ID,
      host_id: HOST_ID,
      content: exampleContent,
      people_words: 'biblio, sala de leitura',
      dataset_id: DATASET_ID,
      deleted: false,
      evaluate: false,
    },
    data: exampleChunk,
  },
  refusals: ['chunk-not-found', ...evaluateRefusals],
  scope: 'manage',
});

/** One answer has at most this much content: it crosses the queue as one result. */
export const MAX_BYTES_READ = 8 * MAX_BODY_BYTES;

export const readChunks = operation({
  effect: 'reads',
  summary: 'Read the chunks that an avatar may use',
  description:
    'Only datasets that are linked to the avatar, visible and not expired, and chunks that are valid now. With a `question`: the best matching chunks, ' +
    'best first, at most `max_chunks` (a setting of the host). Without: all chunks, newest first. A response holds at most ' +
    '10,000 chunks or 8 MiB of content: repeat the request with a higher `offset` until the list is empty.',
  weight: { kind: 'search', connections: 1 },
  tag: 'knowledge',
  path: `${SVC}/chunkReadHelper`,
  aliases: [`${SVC}/readChunksHelper`],
  body: object({
    hostId,
    avatar_id: avatarId,
    dataset_ids: field(
      'Ids of the datasets to read from; those that the avatar may not read are ignored.',
      list(uuid(), { max: MAX_DATASETS }),
    ),
    chunk_ids: field(
      'Only these chunks, newest first, without regard to `question`; those that the avatar may not read are left out. When absent: all.',
      optional(list(uuid(), { max: MAX_CHUNK_IDS })),
    ),
    include_not_valid: field(
      'True, without a `question`: also chunks outside of their validity, for staff who keep them. When absent or false: only those that the avatar reads now.',
      optional(flag()),
    ),
    question: field(
      'Question to rank the chunks by, as in a turn. When absent or empty: all chunks, newest first.',
      optional(text({ min: 0, max: MAX_QUESTION_LENGTH })),
    ),
    limit: field(
      'Maximum number of chunks; with a `question` at most `max_chunks` of the host. When absent: 10,000.',
      optional(integer({ min: 1, max: MAX_CHUNKS_READ })),
    ),
    offset: field(
      'Number of chunks to skip. When absent: 0.',
      optional(integer({ min: 0, max: LAST_OFFSET })),
    ),
    choosenHostId,
  }),
  data: list(listedChunk, { max: MAX_CHUNKS_READ }),
  example: {
    body: {
      hostId: HOST_ID,
      avatar_id: AVATAR_ID,
      dataset_ids: [DATASET_ID],
      chunk_ids: [CHUNK_ID],
      question: exampleListedChunk.search_question,
      limit: 10,
      offset: 0,
    },
    data: [exampleListedChunk],
  },
  largestAnswer: MAX_BYTES_READ,
  refusals: ['avatar-not-found'],
  scope: 'manage',
});

export const readCitedPassage = operation({
  summary: 'Read a passage that an answer cites',
  description:
    'For those who attend a conversation and may not read the knowledge: one chunk that an answer of this conversation has among its `sources`, as it is now. ' +
    'A chunk that no answer of it cites gets a 404, as one that was deleted does.',
  tag: 'conversations',
  effect: 'reads',
  path: `${SVC}/citedPassageReadHelper`,
  body: object({
    conversationId,
    chunkId: field('Id of the chunk: `chunkId` of a source.', uuid()),
    ...ownHostFields,
  }),
  data: object({
    chunk_id: field('Id of the chunk, as it was asked for.', uuid()),
    content,
    dataset_name: datasetName,
    last_update: field('Time of the last change of the chunk: an instant in UTC, ISO 8601.', dateTime()),
  }),
  example: {
    body: { hostId: HOST_ID, conversationId: CONVERSATION_ID, chunkId: CHUNK_ID },
    data: {
      chunk_id: CHUNK_ID,
      content: exampleContent,
      dataset_name: exampleListedChunk.dataset_name,
      last_update: exampleListedChunk.last_update,
    },
  },
  refusals: ['conversation-not-found', 'chunk-not-found'],
  scope: 'reason',
});
