import { LARGEST_BODY, operation } from '../operation.ts';
import {
  dateTime,
  either,
  field,
  flag,
  integer,
  list,
  object,
  optional,
  text,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { AVATAR_ID, CHUNK_ID, DATASET_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import { avatarId, choosenHostId, datasetName, expires, hostId, hostOfObject } from './fields.ts';
import { SVC } from './paths.ts';

export const MOST_CHUNKS_READ = 10_000;

const LONGEST_QUESTION = 16_000;
const MOST_DATASETS = 1_000;
const LAST_OFFSET = 10_000_000;

const content = field(
  'The passage, in Markdown, with its front-matter if it has any; at most `chunk_size_limit` characters of the host.',
  text({ max: LARGEST_BODY }),
);
/** Clients send either; a chunk is in one dataset. */
const datasetId = field(
  'Id of the dataset that the chunk is in: the id itself, or a list of that one id.',
  either(uuid(), list(uuid(), { min: 1, max: 1 })),
);
const chunkId = field('Id of the chunk; editChunkHelper takes it as `id`.', uuid());
const datasetOfChunk = field('Id of the dataset that the chunk is in.', uuid());
const chunkFields = { chunk_id: chunkId, content, dataset_id: datasetOfChunk, host_id: hostOfObject };
const chunk = object(chunkFields);
const editedChunk = object({
  ...chunkFields,
  deleted: field('True where the chunk was removed; absent otherwise.', optional(flag())),
});

const exampleContent = '## Biblioteca\n\nA biblioteca abre de segunda a sexta, das 7h30 às 22h.';
const exampleChunk = {
  chunk_id: CHUNK_ID,
  content: exampleContent,
  dataset_id: DATASET_ID,
  host_id: HOST_ID,
};

const frontMatter =
  'Front-matter at the head of the content (`key: value` lines between `---`; `a, b`, `[a, b]` or a list of lines are alternatives) says for whom ' +
  'the chunk is; it never reaches the model. In a `filtered_rag` dataset a bad one, or what only looks like one, is refused with its line.';

export const createChunk = operation({
  summary: 'Add a passage to a dataset',
  description: `Its avatars know it from the moment of the answer. ${frontMatter}`,
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/createChunkHelper`,
  body: object({ host_id: hostId, content, dataset_id: datasetId, choosenHostId }),
  data: chunk,
  example: {
    body: { host_id: HOST_ID, content: exampleContent, dataset_id: [DATASET_ID] },
    data: exampleChunk,
  },
  status: 201,
  refusals: ['dataset-not-found'],
  scope: 'manage',
  hosts: 'one',
});

export const editChunk = operation({
  summary: 'Rewrite a passage, or remove it',
  description: `It stays in its dataset: \`dataset_id\` must be that one. \`deleted: true\` removes it, and the answer says so; else \`content\` is required. ${frontMatter}`,
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/editChunkHelper`,
  body: object({
    id: field('Id of the chunk, as createChunkHelper or chunkReadHelper gave it.', uuid()),
    host_id: hostId,
    content: field(
      'The passage as it shall be, in Markdown, with its front-matter. May be absent where `deleted` is true.',
      optional(content),
    ),
    dataset_id: datasetId,
    deleted: field(
      'True removes the chunk for good. When absent, or false: it is rewritten.',
      optional(flag()),
    ),
    choosenHostId,
  }),
  data: editedChunk,
  example: {
    body: { id: CHUNK_ID, host_id: HOST_ID, content: exampleContent, dataset_id: DATASET_ID },
    data: exampleChunk,
  },
  status: 200,
  refusals: ['chunk-not-found'],
  scope: 'manage',
  hosts: 'one',
});

export const readChunks = operation({
  summary: 'The passages that an avatar may read',
  description:
    'Of these datasets, where they are linked, visible and not expired. With a `question` those that fit it best, best ' +
    'first, at most `max_chunks` of the host; without one all, what was written last first. An answer holds at most ' +
    '10,000 of them and ends early at 8 MiB of content: ask on with `offset` until nothing comes.',
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/chunkReadHelper`,
  aliases: [`${SVC}/readChunksHelper`],
  body: object({
    hostId,
    avatar_id: avatarId,
    dataset_ids: field(
      'Ids of the datasets to read from; those that the avatar may not read give nothing.',
      list(uuid(), { max: MOST_DATASETS }),
    ),
    question: field(
      'What the chunks are to answer, ranked as in a turn. When absent or empty: all chunks, newest first.',
      optional(text({ min: 0, max: LONGEST_QUESTION })),
    ),
    limit: field(
      'Most chunks to give; with a `question` never more than `max_chunks` of the host. When absent: 10,000.',
      optional(integer({ min: 1, max: MOST_CHUNKS_READ })),
    ),
    offset: field(
      'How many chunks of the list to pass over. When absent: 0.',
      optional(integer({ min: 0, max: LAST_OFFSET })),
    ),
    choosenHostId,
  }),
  data: list(
    object({
      dataset_id: datasetOfChunk,
      dataset_name: datasetName,
      expires,
      chunk_id: chunkId,
      content,
      last_update: field('When the chunk was last written: an instant in UTC, ISO 8601.', dateTime()),
      token_count: field('Length of the content in tokens of a language model.', integer({ min: 0 })),
      search_question: field(
        'The `question` of the request; empty where none was asked.',
        text({ min: 0, max: LONGEST_QUESTION }),
      ),
      user_id: field('Id of the access token that wrote it last; empty where none did.', uuidOrEmpty()),
      user_name: field('Name of that access token; empty where there is none.', text({ min: 0 })),
    }),
    { max: MOST_CHUNKS_READ },
  ),
  example: {
    body: {
      hostId: HOST_ID,
      avatar_id: AVATAR_ID,
      dataset_ids: [DATASET_ID],
      question: 'Quando abre a biblioteca?',
    },
    data: [
      {
        dataset_id: DATASET_ID,
        dataset_name: 'Guia do aluno',
        expires: '2100-01-01T00:00:00.000Z',
        chunk_id: CHUNK_ID,
        content: exampleContent,
        last_update: '2026-02-02T12:00:00.000Z',
        token_count: 25,
        search_question: 'Quando abre a biblioteca?',
        user_id: TOKEN_ID,
        user_name: 'CMS',
      },
    ],
  },
  status: 200,
  refusals: ['avatar-not-found'],
  scope: 'manage',
  hosts: 'one',
});
