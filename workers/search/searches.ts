import type { Db } from '../../db/connection.ts';
import { searchFulltext, searchHybrid, searchPhones, searchSimilar } from '../../db/search/queries.ts';
import { failure } from '../../queues/contract/failure.ts';
import { searchDefaults } from '../../queues/contract/operations/search.ts';
import { MIN_PHONE_DIGITS, searchQueryOf } from '../domain/search/search-query.ts';
import { readDigits } from '../domain/text/read-digits.ts';
import type { Handler } from '../runtime/job.ts';
import { findPage } from './result-page.ts';

const {
  limit: DEFAULT_LIMIT,
  hybridLimit: DEFAULT_HYBRID_LIMIT,
  threshold: DEFAULT_THRESHOLD,
} = searchDefaults;

export interface SearchRequest {
  readonly query: string | number;
  readonly limit?: number;
  readonly offset?: number;
}

export function readFulltextPage(
  db: Db,
  hostIds: readonly string[],
  { query, limit = DEFAULT_LIMIT, offset = 0 }: SearchRequest,
) {
  return findPage(db, hostIds, searchQueryOf(query), { limit, offset }, searchFulltext);
}

export function readHybridPage(
  db: Db,
  hostIds: readonly string[],
  { query, limit = DEFAULT_HYBRID_LIMIT, offset = 0 }: SearchRequest,
) {
  return findPage(db, hostIds, searchQueryOf(query), { limit, offset }, searchHybrid);
}

export function readSimilarPage(
  db: Db,
  hostIds: readonly string[],
  {
    query,
    limit = DEFAULT_LIMIT,
    threshold = DEFAULT_THRESHOLD,
  }: SearchRequest & { readonly threshold?: number },
) {
  return findPage(db, hostIds, { query: String(query), threshold }, { limit, offset: 0 }, searchSimilar);
}

export function makeFulltextSearch(db: Db): Handler<'searchFulltext'> {
  return async ({ caller, body }) => ({ code: 200, data: await readFulltextPage(db, caller.hostIds, body) });
}

export function makeHybridSearch(db: Db): Handler<'searchHybrid'> {
  return async ({ caller, body }) => ({ code: 200, data: await readHybridPage(db, caller.hostIds, body) });
}

export function makePhoneSearch(db: Db): Handler<'searchPhone'> {
  return async ({ caller, body }) => {
    const { phone, search_type: kind = 'exact', limit = DEFAULT_LIMIT, offset = 0 } = body;
    const digits = readDigits(String(phone));
    if (digits.length < MIN_PHONE_DIGITS) {
      const fields = [{ path: 'phone', message: `must have at least ${MIN_PHONE_DIGITS} digits` }];
      return failure('body-invalid', { fields });
    }
    const request = { query: String(phone), digits, kind };
    const data = await findPage(db, caller.hostIds, request, { limit, offset }, searchPhones);
    return { code: 200, data };
  };
}
