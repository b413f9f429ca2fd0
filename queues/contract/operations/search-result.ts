import {
  dateTime,
  field,
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { originId, originTable } from './fields.ts';

export const MAX_QUERY_LENGTH = 256;
const MAX_ORIGINAL_LENGTH = 200_000;

export const anyNumber = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE };
const scoreOf = (meaning: string) => field(`${meaning}; 0 if not computed.`, number(anyNumber));
export const queryText = field('The search terms, as text.', text({ min: 0, max: MAX_QUERY_LENGTH }));
export const tookMs = field(
  'Duration of the search, in milliseconds.',
  number({ min: 0, max: Number.MAX_VALUE }),
);

export const searchResult = object({
  origin_table: originTable,
  origin_id: originId,
  host_id: field('Id of the host that owns the record.', uuid()),
  score: field('Relevance of the record; comparable within one response.', number(anyNumber)),
  scores: field(
    'Components of the score.',
    object({
      fts: scoreOf('Full-text rank'),
      content: scoreOf('Similarity of the words, 0 to 1'),
      phone: scoreOf('Similarity of the phone number, 0 to 1'),
    }),
  ),
  matched_by: field(
    'How the record was found: by words (`fts`), by similarity (`trigram`), by phone number.',
    list(oneOf('fts', 'trigram', 'phone'), { max: 3 }),
  ),
  title: field('Title of the record; empty if it has none.', text({ min: 0 })),
  highlight: field(
    'HTML snippet of the match: escaped text with matches in <mark>.',
    text({ min: 0, max: MAX_ORIGINAL_LENGTH }),
  ),
  updated_at: field('Time of the last change of the record: an instant in UTC, ISO 8601.', dateTime()),
});

export const searchPage = object({
  query: queryText,
  limit: field('The `limit` that was applied.', integer()),
  offset: field('The `offset` that was applied.', integer()),
  total: field('Number of matching records on all pages.', integer()),
  total_is_estimate: field('Whether `total` is an estimate.', flag()),
  took_ms: tookMs,
  results: field('Matching records, best first.', responseList(searchResult)),
});

export const exampleResult = {
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
export const exampleResults = (searched: string, limit: number) => ({
  query: searched,
  limit,
  offset: 0,
  total: 1,
  total_is_estimate: false,
  took_ms: 4.2,
  results: [exampleResult],
});
