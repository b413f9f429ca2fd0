import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';
import type { SearchTable } from './records.ts';

export interface SearchHit {
  readonly originTable: SearchTable;
  readonly originId: string;
  readonly hostId: string;
  readonly score: number;
  readonly fts: number;
  readonly content: number;
  readonly phone: number;
  readonly matchedBy: readonly ('fts' | 'trigram' | 'phone')[];
  readonly title: string;
  /** The original text. */
  readonly original: string;
  readonly updatedAt: string;
}

export interface SearchPage {
  readonly total: number;
  readonly isEstimate: boolean;
  readonly hits: readonly SearchHit[];
}

export interface PageRange {
  readonly limit: number;
  readonly offset: number;
}

const STATEMENT_TIMEOUT_MS = 1_500;

export function searchFulltext(
  scope: HostsScope,
  { query, cpf }: { readonly query: string; readonly cpf: string | undefined },
  { limit, offset }: PageRange,
): Promise<SearchPage> {
  return readPage(scope, sql`search_fulltext(${query}, ${cpf ?? null}, ${limit}, ${offset})`);
}

export function searchHybrid(
  scope: HostsScope,
  request: {
    readonly query: string;
    readonly cpf: string | undefined;
    /** Digits of the query if they may be a phone number, and the possible endings of such a number in the index. */
    readonly digits: string | undefined;
    readonly endings: readonly string[];
  },
  { limit, offset }: PageRange,
): Promise<SearchPage> {
  const { query, cpf, digits, endings } = request;
  return readPage(
    scope,
    sql`search_hybrid(${query}, ${cpf ?? null}, ${digits ?? null}, ${endings}::text[], ${limit}, ${offset})`,
  );
}

export function searchSimilar(
  scope: HostsScope,
  { query, threshold }: { readonly query: string; readonly threshold: number },
  { limit, offset }: PageRange,
): Promise<SearchPage> {
  return readPage(scope, sql`search_similar(${query}, ${threshold}, ${limit}, ${offset})`);
}

export function searchPhones(
  scope: HostsScope,
  { digits, kind }: { readonly digits: string; readonly kind: 'exact' | 'suffix' | 'partial' },
  { limit, offset }: PageRange,
): Promise<SearchPage> {
  return readPage(scope, sql`search_phones(${digits}, ${kind}, ${limit}, ${offset})`);
}

export async function readIndexedWords(
  { tx }: HostsScope,
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await rowsOf<{ text: string; words: string[] }>(tx)`
    select text, search_words_of(text) as words from unnest(${texts}::text[]) text`;
  return new Map(rows.map(({ text, words }) => [text, words]));
}

async function readPage({ tx }: HostsScope, call: Fragment): Promise<SearchPage> {
  await rowsOf(tx)`select set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`;
  const [page] = await rowsOf<SearchPage>(tx)`
    select total::float8 as total, is_estimate as "isEstimate", coalesce((
      select json_agg(json_build_object('originTable', origin_table, 'originId', origin_id, 'hostId', host_id,
        'score', score, 'fts', fts, 'content', content, 'phone', phone, 'matchedBy', matched_by, 'title', title,
        'original', original, 'updatedAt', updated_at))
      from unnest(hits)), '[]') as hits
    from ${call}`;
  return page ?? { total: 0, isEstimate: false, hits: [] };
}
