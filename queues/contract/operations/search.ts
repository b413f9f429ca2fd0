import { operation } from '../operation.ts';
import {
  answerList,
  dateTime,
  either,
  field,
  flag,
  integer,
  list,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from '../shape.ts';
import { CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { originId, originTable } from './fields.ts';
import { SEARCH } from './paths.ts';

const LONGEST_QUERY = 256;
const LONGEST_ORIGINAL = 200_000;

const searchTypes = ['fts', 'hybrid', 'similarity'] as const;

const anyNumber = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE };
const query = field(
  'What to look for: words, a phone number or a CPF; a JSON number is taken as its digits.',
  either(text({ max: LONGEST_QUERY }), number(anyNumber)),
);
const limitOf = (usual: number) =>
  field(`Most results to give. When absent: ${usual}.`, optional(integer({ min: 1, max: 100 })));
const offset = field(
  'How many results to pass over, best first. When absent: 0.',
  optional(integer({ min: 0, max: 10_000 })),
);
const choosenHostId = field(
  'Id of the one host to search. When absent: all hosts of the token.',
  optional(uuid()),
);
const scoreOf = (meaning: string) => field(`${meaning}; 0 where it was not computed.`, number(anyNumber));
const queryText = field('What was looked for, as text.', text({ min: 0, max: LONGEST_QUERY }));
const tookMs = field('How long the search took, in milliseconds.', number({ min: 0, max: Number.MAX_VALUE }));

const result = object({
  origin_table: originTable,
  origin_id: originId,
  host_id: field('Id of the host whose record it is.', uuid()),
  score: field('How well the record fits; comparable within one answer.', number(anyNumber)),
  scores: field(
    'What the score is made of.',
    object({
      fts: scoreOf('Full-text rank'),
      content: scoreOf('Likeness of the words, 0 to 1'),
      phone: scoreOf('Likeness of the phone number, 0 to 1'),
    }),
  ),
  matched_by: field(
    'How the record was found: by its words, by likeness (`trigram`), by its phone.',
    list(oneOf('fts', 'trigram', 'phone'), { max: 3 }),
  ),
  title: field('Short line to show for the record; empty where it has none.', text({ min: 0 })),
  highlight: field(
    'HTML: where it was found, the text escaped, what was found in <mark>.',
    text({ min: 0, max: LONGEST_ORIGINAL }),
  ),
  updated_at: field('When the record was last changed: an instant in UTC, ISO 8601.', dateTime()),
});

const found = object({
  query: queryText,
  limit: field('The `limit` that was applied.', integer()),
  offset: field('The `offset` that was applied.', integer()),
  total: field('How many records fit, on all pages.', integer()),
  total_is_estimate: field('Whether there are only about so many.', flag()),
  took_ms: tookMs,
  results: field('The records that fit, best first.', answerList(result)),
});

const exampleResult = {
  origin_table: 'conversations' as const,
  origin_id: CONVERSATION_ID,
  host_id: HOST_ID,
  score: 0.565,
  scores: { fts: 0.378, content: 1, phone: 0 },
  matched_by: ['fts' as const, 'trigram' as const],
  title: 'Rui',
  highlight: 'Rui | Quero trancar a <mark>matrícula</mark>',
  updated_at: '2026-03-02T12:00:00.000Z',
};
const exampleResults = (asked: string, most: number) => ({
  query: asked,
  limit: most,
  offset: 0,
  total: 1,
  total_is_estimate: false,
  took_ms: 4.2,
  results: [exampleResult],
});

/** What all searches have in common. */
const common = {
  queue: 'search',
  tag: 'search',
  method: 'POST',
  status: 200,
  answer: 'bare',
  refusals: [],
  scope: 'search',
  hosts: 'all',
} as const;

const rules =
  'Searches the hosts of the token, or the one that is chosen. `highlight` is HTML: the text is escaped, what was found stands in <mark>. Where `total_is_estimate`, there are about so many.';

export const searchFulltext = operation({
  ...common,
  summary: 'Records that hold all the words',
  description: rules,
  path: `${SEARCH}/search/fts`,
  body: object({ query, limit: limitOf(20), offset, choosenHostId }),
  data: found,
  example: {
    body: { query: 'matrícula', limit: 20, offset: 0 },
    data: exampleResults('matrícula', 20),
  },
});

export const searchHybrid = operation({
  ...common,
  summary: 'Records that hold some of the words, look like them, or have that phone',
  description: `${rules} The score is 0.7 × full-text rank + 0.3 × the greater of content similarity and reversed-phone similarity.`,
  path: `${SEARCH}/search/hybrid`,
  body: object({ query, limit: limitOf(30), offset, choosenHostId }),
  data: found,
  example: {
    body: { query: 'matrícula', limit: 30, offset: 0 },
    data: exampleResults('matrícula', 30),
  },
});

const typeOptions = 'Options of this type of search. When absent: its defaults.';
/** What one type of search found; absent where it was not asked for, or failed. */
const resultsOf = (type: string) =>
  field(`What ${type} found. Absent where it was not asked for, or failed.`, optional(found));

const threshold = field(
  'Least likeness that counts, 0 to 1. When absent: 0.3.',
  optional(number({ min: 0, max: 1 })),
);

export const searchUnified = operation({
  ...common,
  summary: 'Several searches at once, each by itself and merged',
  description: `${rules} In \`merged\`, \`score\` is the sum of the reciprocal ranks, \`scores\` are all that any type has computed, \`matched_by\` names every way in which the record was found; a type that fails is named in \`errors\`, and the others answer.`,
  path: `${SEARCH}/search/unified`,
  body: object({
    query,
    types: field(
      'The types of search to run. When absent: all three.',
      optional(list(oneOf(...searchTypes), { min: 1, max: searchTypes.length })),
    ),
    options: field(
      'Options by type of search. When absent: the defaults of each.',
      optional(
        object({
          fts: field(typeOptions, optional(object({ limit: limitOf(20) }))),
          hybrid: field(typeOptions, optional(object({ limit: limitOf(30) }))),
          similarity: field(typeOptions, optional(object({ limit: limitOf(20), threshold }))),
        }),
      ),
    ),
    choosenHostId,
  }),
  data: object({
    query: queryText,
    took_ms: tookMs,
    results: field(
      'What each type of search found, by itself.',
      object({
        fts: resultsOf('full text'),
        hybrid: resultsOf('the hybrid search'),
        similarity: resultsOf('likeness'),
      }),
    ),
    merged: field(
      'All that was found, each record once, by the sum of its reciprocal ranks.',
      answerList(result),
    ),
    errors: field(
      'Why a type of search failed, by its name; empty where none did.',
      mapOf(text(), { max: searchTypes.length }),
    ),
  }),
  example: {
    body: {
      query: 'matrícula',
      types: ['fts', 'similarity'],
      options: { fts: { limit: 10 }, similarity: { limit: 10, threshold: 0.4 } },
    },
    data: {
      query: 'matrícula',
      took_ms: 9.1,
      results: { fts: exampleResults('matrícula', 10), similarity: exampleResults('matrícula', 10) },
      merged: [exampleResult],
      errors: {},
    },
  },
});

export const searchPhone = operation({
  ...common,
  summary: 'Records that have this phone',
  description: `${rules} \`exact\` and \`suffix\` find it with and without the country code and the ninth digit. At least four digits.`,
  path: `${SEARCH}/search/phone`,
  body: object({
    phone: field(
      'Phone number, or a part of it, in any form; at least four digits.',
      either(text({ max: 40 }), number(anyNumber)),
    ),
    search_type: field(
      '`exact`: the whole number; `suffix`: its end; `partial`: any part of it. When absent: `exact`.',
      optional(oneOf('exact', 'suffix', 'partial')),
    ),
    limit: limitOf(20),
    offset,
    choosenHostId,
  }),
  data: found,
  example: {
    body: { phone: '11987654321', search_type: 'exact' },
    data: {
      ...exampleResults('11987654321', 20),
      results: [{ ...exampleResult, scores: { fts: 0, content: 0, phone: 1 }, matched_by: ['phone'] }],
    },
  },
});
