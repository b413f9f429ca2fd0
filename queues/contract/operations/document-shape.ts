import { MAX_DOCUMENT_BODY_BYTES } from '../body-limit.ts';
import {
  dateTime,
  field,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  responseList,
  type TypeOf,
  text,
  uuid,
} from '../shape.ts';
import { filter, notValid, sentFilter, sentValidity, validity } from './chunk-shape.ts';
import { DATASET_ID, DOCUMENT_ID, JOB_ID } from './example-ids.ts';

export const MAX_URL_LENGTH = 2_000;

const mediaTypes = [
  'text/markdown',
  'text/plain',
  'text/html',
  'text/csv',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;
export type MediaType = (typeof mediaTypes)[number];

const mediaType = oneOf(...mediaTypes);
const name = field('Display name of the document; sources of answers show it.', text());
const externalKey = field(
  'Your own key for the document, unique in the dataset: importing under it again replaces the document.',
  text(),
);

const everyHours = integer({ min: 1, max: 720 });
/** In a request. */
export const sentRefresh = {
  refresh_every_hours: field(
    'Hours after which the address is read again, again and again; only for a document with a `url`. null: not again. When absent: it stays as it is.',
    optional(nullable(everyHours)),
  ),
};

const readScans = field(
  'True: the model of the host reads the pages of a PDF whose text is in pictures, up to 100 an import, and its budget counts that. False: `scans` names them. When absent: as it was for this document, at first false.',
  optional(flag()),
);

/** A document in a request: its text, its bytes, or its address. */
export const documentToImport = {
  name,
  external_key: optional(externalKey),
  content_type: field(
    'Media type of the document. Required unless `url` is given, whose server tells it.',
    optional(mediaType),
  ),
  content: field(
    'The document as text, at most 16 MiB in UTF-8: Markdown, plain text, HTML or CSV.',
    optional(text({ max: MAX_DOCUMENT_BODY_BYTES })),
  ),
  content_base64: field(
    'The bytes of the document in base64 (also as a `data:` URL, in lines, URL-safe or without padding), at most 16 MiB: any of the types, also text in UTF-16 or Windows-1252.',
    optional(text({ max: MAX_DOCUMENT_BODY_BYTES })),
  ),
  url: field(
    'Address of a page, a file, or a sitemap, of which at most 200 pages of the same origin are read. Private addresses are not read.',
    optional(text({ max: MAX_URL_LENGTH })),
  ),
  filter: sentFilter(
    'It applies to all chunks of the document. When absent: as in the head of a text; otherwise each chunk keeps its own, and in a `filtered_rag` dataset a new chunk of a document that has some is refused (`filter-missing`). `{}` opens the document to everybody.',
  ),
  ...sentValidity('each chunk stays as it is, and new ones are as the document'),
  read_scans: readScans,
  ...sentRefresh,
};

export const documentId = field('Id of the document, as returned by importDocumentHelper.', uuid());

/** Reasons why a document was not imported; `docs/documents.md` explains them. */
const unreadableReasons = [
  'wrong-kind',
  'encrypted',
  'broken',
  'no-text',
  'too-large',
  'too-many-pages',
  'too-many-passages',
  'too-slow',
  'too-much-memory',
  'front-matter-invalid',
  'filter-missing',
  'address-refused',
  'unreachable',
  'gone',
  'shrunk',
  'dataset-deleted',
  'superseded',
  'interrupted',
] as const;
export type UnreadableReason = (typeof unreadableReasons)[number];

export const unreadableReason = oneOf(...unreadableReasons);

const count = (meaning: string) => field(meaning, integer({ min: 0 }));

const namedPages = (meaning: string) =>
  object({
    count: count(meaning),
    pages: field('Addresses of the first of them.', responseList(text({ max: MAX_URL_LENGTH }))),
  });
/** Parts of a site of an import that otherwise succeeded. */
export const incomplete = namedPages(
  'Number of pages and sitemaps that were not read. The passages that they had stay.',
);
export const gone = namedPages(
  'Number of pages that the sitemap lists and that answer 404 or 410. The passages that they had are removed.',
);

const whyUnread = ['not-asked', 'no-model', 'budget', 'limit', 'model', 'picture'] as const;
export type WhyUnread = (typeof whyUnread)[number];

const pages = {
  from: field('The first page.', integer({ min: 1 })),
  to: field('The last page.', integer({ min: 1 })),
};
/** Pages of a PDF whose text is in pictures. */
export const scans = object({
  read: field('Pages that a model has read: compare their figures.', responseList(object(pages))),
  unread: field(
    'Pages that nobody has read: nothing of their pictures is in a chunk.',
    responseList(
      object({
        ...pages,
        why: field(
          '`not-asked`: `read_scans` is not true; `no-model`: the model of the host reads no pictures, or the host masks them; `budget`: it was spent; `limit`: over 100 pages, or 8 minutes; `model`: it failed, refused, or wrote nothing or too much; `picture`: none could be made of the page.',
          oneOf(...whyUnread),
        ),
      }),
    ),
  ),
});
export type Scans = TypeOf<typeof scans>;

/** Part of an import that succeeded. */
export const struck = count('Number of texts that were left out because they are struck through.');

export const listedDocument = object({
  id: documentId,
  dataset_id: field('Id of its dataset.', uuid()),
  name,
  external_key: field('Your own key for it. Absent where it has none.', optional(externalKey)),
  content_type: field('Media type of the document; of a `url` the type that was found there.', mediaType),
  url: field('Address it was read from. Absent where it was sent.', optional(text({ max: MAX_URL_LENGTH }))),
  filter: field(
    'The last filter that an import gave, by its `filter` or by the head of the text; a chunk that was edited since has its own. Absent where there is none.',
    filter,
  ),
  passages: count('Number of its chunks.'),
  state: field(
    '`waiting`, `running`: an import is in progress; `ready`: the last import succeeded; `incomplete`: the same, but for some pages; `failed`: the last import changed nothing.',
    oneOf('waiting', 'running', 'ready', 'incomplete', 'failed'),
  ),
  reason: field('Why the last import changed nothing; absent unless it failed.', optional(unreadableReason)),
  incomplete: field(
    'What the last import could not read of a site; absent unless the state is `incomplete`.',
    optional(incomplete),
  ),
  gone: field(
    'Pages of a site that the last import no longer found; absent where there are none.',
    optional(gone),
  ),
  struck: field(
    'What the last import left out as struck through; absent where that is nothing.',
    optional(struck),
  ),
  scans: field('Pages whose text is in pictures; absent where there are none.', optional(scans)),
  read_scans: field('True where a model reads them; absent otherwise.', optional(flag())),
  ...validity,
  not_valid: notValid,
  refresh_every_hours: field(
    'Hours after which its address is read again. Absent where it is not.',
    optional(everyHours),
  ),
  refresh_due_at: field(
    'When it is read again: an instant in UTC, ISO 8601. Absent where it is not.',
    optional(dateTime()),
  ),
  checked_at: field(
    'When its address was last read, changed or not: an instant in UTC, ISO 8601. Absent where that never was, or it is not read again.',
    optional(dateTime()),
  ),
  comparing: field(
    'True while some of its chunks have not been compared for contradictions; absent otherwise.',
    optional(flag()),
  ),
  job_id: field(
    'Id of its last import, for GET /jobs/{jobId}; empty once that is forgotten.',
    text({ min: 0 }),
  ),
  created_at: field('Time of the first import: an instant in UTC, ISO 8601.', dateTime()),
  updated_at: field('Time of the last change of its chunks: an instant in UTC, ISO 8601.', dateTime()),
});

/** What one import made of a document. */
const documentChange = object({
  at: field('When the import ended: an instant in UTC, ISO 8601.', dateTime()),
  automatic: field('True where nobody ordered it: `refresh_every_hours` did.', flag()),
  reason: field('Why nothing was changed; absent where it succeeded.', optional(unreadableReason)),
  added: count('Number of chunks that were added.'),
  kept: count('Number of chunks that stayed as they were; 0 where nothing was changed.'),
  removed: count('Number of chunks that were removed.'),
  incomplete: field('What it could not read of a site; absent where it read all.', optional(incomplete)),
  gone: field('Pages of a site that it no longer found; absent where there are none.', optional(gone)),
});
export const documentChanges = list(documentChange, { max: 100 });

export const exampleDocument = {
  id: DOCUMENT_ID,
  dataset_id: DATASET_ID,
  name: 'Manual do aluno',
  external_key: 'manual-2026',
  content_type: 'application/pdf',
  passages: 214,
  state: 'ready',
  job_id: JOB_ID,
  created_at: '2026-02-02T12:00:00.000Z',
  updated_at: '2026-02-02T12:00:00.000Z',
} as const;
