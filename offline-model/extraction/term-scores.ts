import type { ContextTexts } from './context-texts.ts';
import type { Variants } from './vocabulary.ts';
import type { WeightedTerm } from './weighted-terms.ts';

/** A weaker variant does not count as a mention: synonyms do, derivations do not. */
const MIN_VARIANT_STRENGTH = 0.55;
/** The part of its weight that a subject keeps if no text contains it. */
const UNSEEN_SUBJECT_FRACTION = 0.3;

function findStrength(stems: ReadonlySet<string>, variants: Variants): number {
  let bestStrength = 0;
  for (const [stem, strength] of variants)
    if (strength > bestStrength && stems.has(stem)) bestStrength = strength;
  return bestStrength;
}

export function scoreTerms(
  terms: readonly WeightedTerm[],
  unitStems: ReadonlySet<string>,
  contextTexts: ContextTexts,
): number {
  let sum = 0;
  for (const { weight, variants } of terms) {
    let bestStrength = findStrength(unitStems, variants);
    for (const [factor, stems] of contextTexts) {
      if (factor > bestStrength)
        bestStrength = Math.max(bestStrength, factor * findStrength(stems, variants));
    }
    sum += weight * bestStrength;
  }
  return sum;
}

/** The share of the subjects in these texts. A subject that no text contains may have another wording here. */
export function computeShare(subjects: readonly WeightedTerm[], texts: ContextTexts): number {
  let totalWeight = 0;
  let matchedWeight = 0;
  for (const { weight, variants } of subjects) {
    const subjectWeight = variants.size === 0 ? weight * UNSEEN_SUBJECT_FRACTION : weight;
    const isMentionedIn = ([, stems]: ContextTexts[number]) =>
      findStrength(stems, variants) >= MIN_VARIANT_STRENGTH;
    totalWeight += subjectWeight;
    matchedWeight += subjectWeight * Math.max(0, ...texts.filter(isMentionedIn).map(([share]) => share));
  }
  return totalWeight === 0 ? 0 : matchedWeight / totalWeight;
}

export function hasEachNoun(nouns: readonly WeightedTerm[], texts: readonly ReadonlySet<string>[]): boolean {
  return nouns.every(({ variants }) =>
    texts.some(stems => findStrength(stems, variants) >= MIN_VARIANT_STRENGTH),
  );
}
