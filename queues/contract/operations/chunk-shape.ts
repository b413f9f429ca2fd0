import { MAX_BODY_BYTES } from '../body-limit.ts';
import {
  dateTime,
  either,
  eitherOneOrList,
  field,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  optional,
  responseList,
  text,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { CHUNK_ID, DATASET_ID, HOST_ID, TOKEN_ID } from './example-ids.ts';
import { datasetName, expires, hostOfObject, MAX_QUESTION_LENGTH } from './fields.ts';

export const content = field(
  'Text of the chunk in Markdown; at most `chunk_size_limit` characters (a setting of the host) and 1 MiB of different words.',
  text({ max: MAX_BODY_BYTES }),
);
const MAX_FILTER_KEYS = 20;
const MAX_FILTER_VALUES = 200;
const MAX_FILTER_LENGTH = 200;
const filterValue = text({ max: MAX_FILTER_LENGTH });

/** In a request: one value or several for a key. */
export const sentFilter = (when: string) =>
  optional(
    field(
      `For whom the text is, in a \`filtered_rag\` dataset: each key with the values of which a turn must have one in its \`globalData\` or \`userData\`. ${when}`,
      mapOf(eitherOneOrList(filterValue, { max: MAX_FILTER_VALUES }), { max: MAX_FILTER_KEYS }),
    ),
  );
export const filter = optional(
  field(
    'For whom the text is, as it is compared: without capitals and accents. Absent where it is for everybody.',
    mapOf(list(text({ min: 0 }), { max: MAX_FILTER_VALUES }), { max: MAX_FILTER_KEYS }),
  ),
);

/** Clients send either form; a chunk belongs to one dataset. */
export const datasetId = field(
  'Id of the dataset of the chunk: the id, or a list with that one id.',
  either(uuid(), list(uuid(), { min: 1, max: 1 })),
);
export const peopleWords = field(
  'Names that people give to what stands in the chunk, separated by commas: they are searched, and no prompt has them.',
  text({ min: 0, max: 1_000 }),
);
const validFrom = 'Nobody reads it before this time';
const validUntil = 'Nobody reads it from this time on';
/** In a request. */
export const sentValidity = (absent: string) => ({
  valid_from: field(
    `${validFrom}; a date without a time means its midnight in the time zone of the host. null: at once. When absent: ${absent}.`,
    optional(nullable(dateTime())),
  ),
  valid_until: field(
    `${validUntil}; a date without a time means the end of that day in the time zone of the host. null: for ever. When absent: ${absent}.`,
    optional(nullable(dateTime())),
  ),
});
/** In an answer. */
export const validity = {
  valid_from: field(
    `${validFrom}: an instant in UTC, ISO 8601. Absent where there is none.`,
    optional(dateTime()),
  ),
  valid_until: field(
    `${validUntil}: an instant in UTC, ISO 8601. Absent where there is none.`,
    optional(dateTime()),
  ),
};
export const notValid = field(
  'True where it is outside of that time now, so that only staff see it; absent otherwise.',
  optional(flag()),
);

const chunkId = field('Id of the chunk; editChunkHelper takes it as `id`.', uuid());
const datasetOfChunk = field('Id of the dataset of the chunk.', uuid());
const chunkFields = {
  chunk_id: chunkId,
  content,
  filter,
  dataset_id: datasetOfChunk,
  host_id: hostOfObject,
  ...validity,
};
export const chunk = object(chunkFields);
export const editedChunk = object({
  ...chunkFields,
  deleted: field('True if the chunk was deleted; absent otherwise.', optional(flag())),
});

export const exampleContent = '## Biblioteca\n\nA biblioteca abre de segunda a sexta, das 7h30 às 22h.';
export const exampleChunk = {
  chunk_id: CHUNK_ID,
  content: exampleContent,
  dataset_id: DATASET_ID,
  host_id: HOST_ID,
};

/** A chunk in the form for people who edit the knowledge. */
export const listedChunk = object({
  dataset_id: datasetOfChunk,
  dataset_name: datasetName,
  expires,
  chunk_id: chunkId,
  content,
  filter,
  people_words: optional(
    field(
      'Names that people give to what stands in the chunk, of a model or written by staff. Absent where nobody has given any yet.',
      text({ min: 0, max: 1_000 }),
    ),
  ),
  last_update: field('Time of the last change of the chunk: an instant in UTC, ISO 8601.', dateTime()),
  token_count: field('Number of tokens of the content.', integer({ min: 0 })),
  search_question: field(
    'The `question` of the request; empty if there was none.',
    text({ min: 0, max: MAX_QUESTION_LENGTH }),
  ),
  user_id: field('Id of the access token that last changed the chunk; empty if unknown.', uuidOrEmpty()),
  user_name: field('Name of that access token; empty if unknown.', text({ min: 0 })),
  document_id: field('Id of the document it was imported from. Absent for other chunks.', optional(uuid())),
  document_title: field(
    'Name of that document, with the page, the row or the headings. Absent for other chunks.',
    optional(text({ min: 0, max: MAX_BODY_BYTES })),
  ),
  read_by_model: field(
    'True where it is of a scanned page that a model has read; absent otherwise.',
    optional(flag()),
  ),
  figures_read: field(
    'The figures of such a chunk, as they stand in it, each once: compare them with the page. Absent for other chunks.',
    optional(responseList(text())),
  ),
  ...validity,
  not_valid: notValid,
});
export const exampleListedChunk = {
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
};
