import type { Unit } from './units.ts';
import { extractComparableTerms, extractTerms, toComparableText } from './words.ts';

/** A unit with the normalized forms that ranking compares. */
export interface IndexedUnit {
  readonly unit: Unit;
  readonly comparableText: string;
  /** stems in their order */
  readonly terms: readonly string[];
  readonly stems: ReadonlySet<string>;
}

export function indexUnits(units: readonly Unit[]): IndexedUnit[] {
  return units.map(unit => {
    const comparableText = toComparableText(unit.text);
    const terms = extractComparableTerms(comparableText);
    return { unit, comparableText, terms, stems: new Set(terms) };
  });
}

/** stem → the number of units that hold it */
export function countUnitsByStem(indexedUnits: readonly IndexedUnit[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { stems } of indexedUnits)
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

/** passage → all stems of its units */
export function collectPassageStems(indexedUnits: readonly IndexedUnit[]): Map<number, ReadonlySet<string>> {
  const passages = new Map<number, Set<string>>();
  for (const { unit, stems } of indexedUnits) {
    const passageStems = passages.get(unit.passage) ?? new Set<string>();
    for (const stem of stems) passageStems.add(stem);
    passages.set(unit.passage, passageStems);
  }
  return passages;
}

/** Caches the stems of texts that many units share, such as headings. */
export function makeCachedStemmer(): (text: string) => ReadonlySet<string> {
  const stemsByText = new Map<string, ReadonlySet<string>>();
  return text => {
    const stems = stemsByText.get(text) ?? new Set(extractTerms(text));
    stemsByText.set(text, stems);
    return stems;
  };
}
