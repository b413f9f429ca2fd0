import { operation } from '../operation.ts';
import {
  either,
  field,
  integer,
  list,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { SEARCH } from './paths.ts';
import {
  anyNumber,
  exampleResult,
  exampleResults,
  MAX_QUERY_LENGTH,
  queryText,
  searchPage,
  searchResult,
  tookMs,
} from './search-result.ts';

export const searchTypes = ['fts', 'hybrid', 'similarity'] as const;

const query = field(
  'Search terms: words, a phone number or a CPF; a JSON number is converted to its digits.',
  either(text({ max: MAX_QUERY_LENGTH }), number(anyNumber)),
);
/** These apply if the request says nothing. */
export const searchDefaults = { limit: 20, hybridLimit: 30, threshold: 0.3 } as const;

const limitOf = (usual: number) =>
  field(`Maximum number of results. When absent: ${usual}.`, optional(integer({ min: 1, max: 100 })));
const offset = field(
  'Number of results to skip. When absent: 0.',
  optional(integer({ min: 0, max: 10_000 })),
);
const choosenHostId = field(
  'Id of the host to search. When absent: all hosts of the token.',
  optional(uuid()),
);
const common = {
  queue: 'search',
  weight: { kind: 'search', connections: 1 },
  tag: 'search',
  responseForm: 'bare',
  scope: 'search',
  hosts: 'all',
} as const;

const rules =
  'Searches all hosts of the token, or the chosen host. `highlight` is HTML: escaped text with matches in <mark>. If `total_is_estimate` is true, `total` is approximate.';

export const searchFulltext = operation({
  ...common,
  effect: 'reads',
  summary: 'Search records by full text',
  description: `Finds the records that contain all words. ${rules}`,
  path: `${SEARCH}/search/fts`,
  body: object({ query, limit: limitOf(searchDefaults.limit), offset, choosenHostId }),
  data: searchPage,
  example: {
    body: { query: 'matrícula', limit: 20, offset: 0 },
    data: exampleResults('matrícula', 20),
  },
});

export const searchHybrid = operation({
  ...common,
  effect: 'reads',
  summary: 'Search records by words, similarity and phone number',
  description: `${rules} The score is 0.7 × full-text rank + 0.3 × the greater of content similarity and reversed-phone similarity.`,
  path: `${SEARCH}/search/hybrid`,
  body: object({ query, limit: limitOf(searchDefaults.hybridLimit), offset, choosenHostId }),
  data: searchPage,
  example: {
    body: { query: 'matrícula', limit: 30, offset: 0 },
    data: exampleResults('matrícula', 30),
  },
});

const typeOptions = 'Options of this search type. When absent: its defaults.';
const resultsOf = (type: string) =>
  field(`Results of the ${type} search. Absent if it was not requested or failed.`, optional(searchPage));

const threshold = field(
  `Minimum similarity, 0 to 1. When absent: ${searchDefaults.threshold}.`,
  optional(number({ min: 0, max: 1 })),
);

/** How many of its searches one unified search runs at a time. */
export const MAX_CONCURRENT_SEARCHES = 2;

export const searchUnified = operation({
  ...common,
  effect: 'reads',
  weight: { kind: 'search', connections: MAX_CONCURRENT_SEARCHES },
  summary: 'Run several searches and merge their results',
  description: `${rules} In \`merged\`, \`score\` is the sum of the reciprocal ranks, \`scores\` holds the components computed by any type, and \`matched_by\` lists all ways in which the record was found. If a type fails, it is listed in \`errors\`, and the others are still returned.`,
  path: `${SEARCH}/search/unified`,
  body: object({
    query,
    types: field(
      'Search types to run. When absent: all three.',
      optional(list(oneOf(...searchTypes), { min: 1, max: searchTypes.length })),
    ),
    options: field(
      'Options by search type. When absent: the defaults of each.',
      optional(
        object({
          fts: field(typeOptions, optional(object({ limit: limitOf(searchDefaults.limit) }))),
          hybrid: field(typeOptions, optional(object({ limit: limitOf(searchDefaults.hybridLimit) }))),
          similarity: field(
            typeOptions,
            optional(object({ limit: limitOf(searchDefaults.limit), threshold })),
          ),
        }),
      ),
    ),
    choosenHostId,
  }),
  data: object({
    query: queryText,
    took_ms: tookMs,
    results: field(
      'Results of each search type.',
      object({
        fts: resultsOf('full-text'),
        hybrid: resultsOf('hybrid'),
        similarity: resultsOf('similarity'),
      }),
    ),
    merged: field(
      'All results, each record once, ordered by the sum of reciprocal ranks.',
      responseList(searchResult),
    ),
    errors: field('Error by search type; empty if none failed.', mapOf(text(), { max: searchTypes.length })),
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
  effect: 'reads',
  summary: 'Search records by phone number',
  description: `${rules} \`exact\` and \`suffix\` match with and without the country code and the ninth digit. At least four digits are required.`,
  path: `${SEARCH}/search/phone`,
  body: object({
    phone: field(
      'Phone number or a part of it, in any format; at least four digits.',
      either(text({ max: 40 }), number(anyNumber)),
    ),
    search_type: field(
      '`exact`: the whole number; `suffix`: its last digits; `partial`: any part of it. When absent: `exact`.',
      optional(oneOf('exact', 'suffix', 'partial')),
    ),
    limit: limitOf(searchDefaults.limit),
    offset,
    choosenHostId,
  }),
  data: searchPage,
  example: {
    body: { phone: '11987654321', search_type: 'exact', limit: 20, offset: 0 },
    data: {
      ...exampleResults('11987654321', 20),
      results: [{ ...exampleResult, scores: { fts: 0, content: 0, phone: 1 }, matched_by: ['phone'] }],
    },
  },
});
