import { findVariants, type Variants } from './vocabulary.ts';

/** A term of the question with its weight and its variants in the text. */
export interface WeightedTerm {
  readonly stem: string;
  readonly weight: number;
  readonly variants: Variants;
}

/** The weight of a word that no unit contains: mostly the text only words it differently. */
const UNSEEN_WORD_FRACTION = 0.8;

function findStrongest(variants: Variants): string | undefined {
  let strongest: string | undefined;
  for (const [stem, strength] of variants) {
    if (strongest === undefined || strength > (variants.get(strongest) ?? 0)) strongest = stem;
  }
  return strongest;
}

/** `counts`: stem → number of units with it, out of `total`; rarer words weigh more. */
export function weighTerms(
  terms: ReadonlyMap<string, number>,
  counts: ReadonlyMap<string, number>,
  total: number,
): WeightedTerm[] {
  const computeRarity = (count: number) => Math.log(1 + (total + 1) / (count + 0.5));
  return [...terms].map(([stem, weight]) => {
    const variants = findVariants(stem, counts);
    const strongest = findStrongest(variants);
    const rarity =
      strongest === undefined
        ? UNSEEN_WORD_FRACTION * computeRarity(0)
        : computeRarity(counts.get(strongest) ?? 0);
    return { stem, weight: weight * rarity, variants };
  });
}
