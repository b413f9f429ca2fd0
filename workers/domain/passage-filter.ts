import { foldTerm } from './front-matter.ts';

/** What a turn gives each key that a filter may declare, in the form in which filters are kept. */
export type FilterTerms = Readonly<Record<string, readonly string[]>>;

/**
 * The values that filters are compared with: those of the conversation's data, and of the user's where that has none.
 * Each item of an array is a value of its own; what is not plain text, a number or a truth is none.
 */
export function filterTermsOf(
  globalData: Readonly<Record<string, unknown>>,
  userData: Readonly<Record<string, unknown>>,
): FilterTerms {
  const given = new Map<string, string[]>();
  for (const [key, value] of [...Object.entries(globalData), ...Object.entries(userData)]) {
    const terms = termsIn(value);
    if (terms.length > 0 && !given.has(key)) given.set(key, terms);
  }
  return Object.fromEntries(given);
}

function termsIn(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value];
  const terms = items.flatMap(item =>
    typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean'
      ? [foldTerm(String(item))]
      : [],
  );
  return [...new Set(terms.filter(Boolean))];
}
