import { operation } from '../operation.ts';
import {
  answerList,
  dateTime,
  either,
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
import { SEARCH } from './paths.ts';

const LONGEST_QUERY = 256;
const LONGEST_ORIGINAL = 200_000;

export const originTable = oneOf('conversations', 'leads', 'tickets');
const searchTypes = ['fts', 'hybrid', 'similarity'] as const;

const anyNumber = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE };
const query = either(text({ max: LONGEST_QUERY }), number(anyNumber));
const limit = optional(integer({ min: 1, max: 100 }));
const offset = optional(integer({ min: 0, max: 10_000 }));
const choosenHostId = optional(uuid());

const result = object({
  origin_table: originTable,
  origin_id: uuid(),
  host_id: uuid(),
  score: number(anyNumber),
  scores: object({ fts: number(anyNumber), content: number(anyNumber), phone: number(anyNumber) }),
  matched_by: list(oneOf('fts', 'trigram', 'phone'), { max: 3 }),
  title: text({ min: 0 }),
  highlight: text({ min: 0, max: LONGEST_ORIGINAL }),
  updated_at: dateTime(),
});

const found = object({
  query: text({ min: 0, max: LONGEST_QUERY }),
  limit: integer(),
  offset: integer(),
  total: integer(),
  total_is_estimate: flag(),
  took_ms: number({ min: 0, max: Number.MAX_VALUE }),
  results: answerList(result),
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
const exampleFound = (asked: string, most: number) => ({
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
  body: object({ query, limit, offset, choosenHostId }),
  data: found,
  example: {
    body: { query: 'matrícula', limit: 20, offset: 0 },
    data: exampleFound('matrícula', 20),
  },
});

export const searchHybrid = operation({
  ...common,
  summary: 'Records that hold some of the words, look like them, or have that phone',
  description: `${rules} The score is 0.7 × full-text rank + 0.3 × the greater of content similarity and reversed-phone similarity.`,
  path: `${SEARCH}/search/hybrid`,
  body: object({ query, limit, offset, choosenHostId }),
  data: found,
  example: {
    body: { query: 'matrícula', limit: 30, offset: 0 },
    data: exampleFound('matrícula', 30),
  },
});

const perType = optional(object({ limit }));

export const searchUnified = operation({
  ...common,
  summary: 'Several searches at once, each by itself and merged',
  description: `${rules} In \`merged\`, \`score\` is the sum of the reciprocal ranks, \`scores\` are all that any type has computed, \`matched_by\` names every way in which the record was found; a type that fails is named in \`errors\`, and the others answer.`,
  path: `${SEARCH}/search/unified`,
  body: object({
    query,
    types: optional(list(oneOf(...searchTypes), { min: 1, max: searchTypes.length })),
    options: optional(
      object({
        fts: perType,
        hybrid: perType,
        similarity: optional(object({ limit, threshold: optional(number({ min: 0, max: 1 })) })),
      }),
    ),
    choosenHostId,
  }),
  data: object({
    query: text({ min: 0, max: LONGEST_QUERY }),
    took_ms: number({ min: 0, max: Number.MAX_VALUE }),
    results: object({ fts: optional(found), hybrid: optional(found), similarity: optional(found) }),
    merged: answerList(result),
    errors: mapOf(text(), { max: searchTypes.length }),
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
      results: { fts: exampleFound('matrícula', 10), similarity: exampleFound('matrícula', 10) },
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
    phone: either(text({ max: 40 }), number(anyNumber)),
    search_type: optional(oneOf('exact', 'suffix', 'partial')),
    limit,
    offset,
    choosenHostId,
  }),
  data: found,
  example: {
    body: { phone: '11987654321', search_type: 'exact' },
    data: {
      ...exampleFound('11987654321', 20),
      results: [{ ...exampleResult, scores: { fts: 0, content: 0, phone: 1 }, matched_by: ['phone'] }],
    },
  },
});
