import type { JsonObject } from '../../../platform/json-object.ts';
import { normalizeTerm } from './front-matter.ts';

/** The values of a turn for each key of a filter, normalized like filters. */
export type FilterTerms = Readonly<Record<string, readonly string[]>>;

/**
 * The values that filters are compared with: from the data of the conversation, otherwise of the end user. Each array
 * item is one value; only strings, numbers and booleans count.
 */
export function filterTermsOf(globalData: JsonObject, userData: JsonObject): FilterTerms {
  const filterTerms = new Map<string, string[]>();
  for (const [key, value] of [...Object.entries(globalData), ...Object.entries(userData)]) {
    const terms = termsIn(value);
    if (terms.length > 0 && !filterTerms.has(key)) filterTerms.set(key, terms);
  }
  return Object.fromEntries(filterTerms);
}

function termsIn(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value];
  const terms = items.flatMap(item =>
    typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean'
      ? [normalizeTerm(String(item))]
      : [],
  );
  return [...new Set(terms.filter(Boolean))];
}
