import { operation } from '../operation.ts';
import { field, flag, idAlsoNamed, integer, object, optional, responseList, text, uuid } from '../shape.ts';
import { sentValidity } from './chunk-shape.ts';
import {
  documentChanges,
  documentId,
  documentToImport,
  exampleDocument,
  listedDocument,
  MAX_URL_LENGTH,
  sentRefresh,
  unreadableReason,
} from './document-shape.ts';
import { DATASET_ID, DOCUMENT_ID, HOST_ID, JOB_ID } from './example-ids.ts';
import { datasetId, hostFields } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

export const importDocument = operation({
  effect: 'changes',
  summary: 'Import a document as chunks of a dataset',
  description:
    'Markdown, plain text, HTML, CSV, PDF, DOCX or XLSX, or an address. Exactly one of `content`, `content_base64` and `url` is required. The document is read ' +
    'after the response; GET /jobs/{jobId} tells how far it is, and how it ended. Its passages follow its own structure, within `chunk_size_limit`; each begins with the path of ' +
    'its headings, tables keep their header, and a row of a CSV file or a sheet is a passage. Importing under the same `external_key` again replaces the document at once: unchanged passages keep their ids. ' +
    'A document that cannot be read changes nothing, and the job names the reason.',
  tag: 'documents',
  path: `${SVC}/importDocumentHelper`,
  body: object({ ...hostFields, dataset_id: datasetId, ...documentToImport }),
  data: object({
    documentId,
    jobId: field('Id of the import; GET /jobs/{jobId} returns its progress and its end.', text()),
  }),
  example: {
    body: {
      hostId: HOST_ID,
      dataset_id: DATASET_ID,
      name: 'Manual do aluno',
      external_key: 'manual-2026',
      content_type: 'text/markdown',
      content: '# Biblioteca\n\nAbre de segunda a sexta, das 7h30 às 22h.',
    },
    data: { documentId: DOCUMENT_ID, jobId: JOB_ID },
  },
  status: 202,
  refusals: ['dataset-not-found', 'document-too-large', 'documents-waiting'],
  scope: 'manage',
  extras: ['upload'],
});

const address = text({ max: MAX_URL_LENGTH });

export const findSiteSources = operation({
  effect: 'reads',
  summary: 'Find the addresses by which a site is imported',
  description:
    'The sitemaps that its `robots.txt` names, at most five; otherwise the usual ones; otherwise its page alone. Nothing is stored: importDocumentHelper imports each of them.',
  tag: 'documents',
  path: `${SVC}/siteSourcesHelper`,
  body: object({
    ...hostFields,
    url: field('Address of the site. Without a scheme it is read by https.', address),
  }),
  data: object({
    url: field('The whole address.', address),
    sources: field('The addresses to import; none if the site cannot be read.', responseList(address)),
    left: field('The first sitemaps beyond the limit.', responseList(address)),
    reason: field('Why the site cannot be read. Absent if it can.', optional(unreadableReason)),
  }),
  example: {
    body: { hostId: HOST_ID, url: 'www.exemplo.edu.br' },
    data: {
      url: 'https://www.exemplo.edu.br/',
      sources: ['https://www.exemplo.edu.br/sitemap.xml'],
      left: [],
    },
  },
  scope: 'manage',
});

export const listDocuments = operation({
  effect: 'reads',
  summary: 'List the imported documents of a host',
  description:
    'Newest first, by `created_at`. A page also ends when it has 1 MiB, so it may have fewer items than `limit`.',
  weight: { kind: 'list', connections: 1 },
  tag: 'documents',
  path: `${SVC}/documentsListHelper`,
  body: object({
    ...hostFields,
    ...pageFields,
    dataset_id: field('Only documents of this dataset. When absent: of all datasets.', optional(uuid())),
  }),
  data: pageOf(listedDocument),
  example: {
    body: { hostId: HOST_ID, dataset_id: DATASET_ID, limit: 20 },
    data: { items: [exampleDocument], nextCursor: null },
  },
  scope: 'manage',
});

const editedId = field('Id of the document, as returned by importDocumentHelper.', idAlsoNamed('documentId'));

export const editDocument = operation({
  effect: 'changes',
  summary: 'Change when a document is valid and read again',
  description:
    'Its validity holds for each of its chunks. `refresh_now` reads its address at once, and takes what stands there as the word of a person: also much less than before.',
  tag: 'documents',
  path: `${SVC}/editDocumentHelper`,
  body: object({
    ...hostFields,
    id: editedId,
    ...sentValidity('it stays as it is'),
    ...sentRefresh,
    refresh_now: field(
      'True: the address is read again now. When absent or false: it is not.',
      optional(flag()),
    ),
  }),
  data: listedDocument,
  example: {
    body: {
      hostId: HOST_ID,
      id: DOCUMENT_ID,
      valid_until: '2027-01-01T03:00:00.000Z',
      refresh_every_hours: null,
      refresh_now: false,
    },
    data: { ...exampleDocument, valid_until: '2027-01-01T03:00:00.000Z' },
  },
  refusals: ['document-not-found', 'documents-waiting'],
  scope: 'manage',
});

export const listDocumentChanges = operation({
  effect: 'reads',
  summary: 'List what imports made of a document',
  description:
    'The last hundred that changed something or failed, newest first. What is read again and has not changed is not listed, nor is the same trouble twice.',
  tag: 'documents',
  path: `${SVC}/documentHistoryListHelper`,
  body: object({ ...hostFields, id: editedId }),
  data: documentChanges,
  example: {
    body: { hostId: HOST_ID, id: DOCUMENT_ID },
    data: [{ at: '2026-02-03T12:00:00.000Z', automatic: true, added: 1, kept: 213, removed: 1 }],
  },
  refusals: ['document-not-found'],
  scope: 'manage',
});

export const deleteDocument = operation({
  effect: 'changes',
  summary: 'Delete a document with its chunks',
  description:
    'Permanently. An import of it that is in progress ends without a change. Again, it is answered the same.',
  tag: 'documents',
  path: `${SVC}/deleteDocumentHelper`,
  body: object({
    ...hostFields,
    id: editedId,
  }),
  data: object({
    id: documentId,
    deleted: field('Always true.', flag()),
    passages: field(
      'Number of chunks that were deleted with it; 0 when it was deleted before.',
      integer({ min: 0 }),
    ),
  }),
  example: {
    body: { hostId: HOST_ID, id: DOCUMENT_ID },
    data: { id: DOCUMENT_ID, deleted: true, passages: 214 },
  },
  refusals: ['document-not-found'],
  scope: 'manage',
});
