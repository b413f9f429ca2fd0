import { operation } from '../operation.ts';
import { dateTime, field, integer, list, object, oneOf, optional, uuid } from '../shape.ts';
import { CHUNK_ID, CONTRADICTION_ID, DATASET_ID, HOST_ID, OTHER_CHUNK_ID } from './example-ids.ts';
import { hostFields, longText } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

const ofContradictions = { tag: 'contradictions', scope: 'manage' } as const;

const contradictionId = field('Id under which it is listed and decided.', uuid());
const span = (what: string) =>
  field(
    `${what}: the UTF-16 offsets into \`content\`, from the first up to the second.`,
    object({
      from: field('Where it begins.', integer({ min: 0 })),
      to: field('Where it ends.', integer({ min: 0 })),
    }),
  );

const kinds = ['date', 'price', 'number', 'weekday', 'time', 'negation'] as const;
const [chunkId, datasetId, documentId, documentName] = [
  field('Id by which it is kept, read or edited as a chunk.', uuid()),
  field('Id of its dataset.', uuid()),
  field('Id of its document. Absent for a chunk of none.', optional(uuid())),
  field('Name of its document. Absent for a chunk of none.', optional(longText)),
];

/** Of an approved answer. */
export const contradictedBy = field(
  'Passages that one of its avatars may read and that contradict it, at most three: it is not given by that avatar until one of the two changes, or `resolveContradictionHelper` decides.',
  list(
    object({
      contradictionId,
      kind: field('What differs.', oneOf(...kinds)),
      chunkId,
      datasetId,
      documentName,
      sentence: field('What the passage says.', longText),
    }),
    { max: 3 },
  ),
);

const contradiction = object({
  contradictionId,
  kind: field(
    'What differs; `versions`: two versions of one document, such as the editais of two years, told once with an example.',
    oneOf(...kinds, 'versions'),
  ),
  pairs: field('The number of pairs of passages: more than one for `versions` only.', integer({ min: 1 })),
  passages: field(
    'The two passages.',
    list(
      object({
        chunkId,
        datasetId,
        documentId,
        documentName,
        content: field('Its text, into which the places point.', longText),
      }),
      { max: 2 },
    ),
  ),
  places: field(
    'Where each of the two says it, in their order.',
    list(object({ sentence: span('The sentence'), mark: span('What differs in it') }), { max: 2 }),
  ),
  foundAt: field('When it was found: an instant in UTC, ISO 8601.', dateTime()),
});

const [content, otherContent] = ['O diploma custa R$ 180,00.', 'O diploma custa R$ 220,00.'];
const place = { sentence: { from: 0, to: 26 }, mark: { from: 16, to: 25 } };

export const listContradictions = operation({
  ...ofContradictions,
  effect: 'reads',
  summary: 'List passages that contradict each other',
  description:
    'Pairs that one avatar may read, of the same subject, that give another date, price, number, weekday, time or negation for it. They are looked for in the background, some time after the last import or edit, without a model. The last found come first.',
  weight: { kind: 'list', connections: 1 },
  path: `${SVC}/contradictionsListHelper`,
  body: object({ ...hostFields, ...pageFields }),
  data: pageOf(contradiction),
  example: {
    body: { hostId: HOST_ID, limit: 20 },
    data: {
      items: [
        {
          contradictionId: CONTRADICTION_ID,
          kind: 'price',
          pairs: 1,
          passages: [
            { chunkId: CHUNK_ID, datasetId: DATASET_ID, content },
            { chunkId: OTHER_CHUNK_ID, datasetId: DATASET_ID, content: otherContent },
          ],
          places: [place, place],
          foundAt: '2026-03-02T14:05:09.120Z',
        },
      ],
      nextCursor: null,
    },
  },
});

export const resolveContradiction = operation({
  ...ofContradictions,
  effect: 'changes',
  summary: 'Decide which of two contradicting passages stays',
  description:
    'With `keepChunkId` the other passage ends to be valid (`valid_until`), of `versions` its whole document: nobody but staff reads it from now on. An approved answer that the passage contradicts is switched off. Without, it is no contradiction: it does not come back while both texts stay as they are.',
  path: `${SVC}/resolveContradictionHelper`,
  body: object({
    ...hostFields,
    contradictionId,
    keepChunkId: field('Id of the passage that is right. When absent: both stay.', optional(uuid())),
  }),
  data: object({
    contradictionId,
    state: field(
      '`resolved`: one passage, document or approved answer is no longer given; `dismissed`: both are.',
      oneOf('dismissed', 'resolved'),
    ),
  }),
  example: {
    body: { hostId: HOST_ID, contradictionId: CONTRADICTION_ID, keepChunkId: CHUNK_ID },
    data: { contradictionId: CONTRADICTION_ID, state: 'resolved' },
  },
  refusals: ['contradiction-not-found', 'chunk-not-found'],
});
