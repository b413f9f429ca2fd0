import { type Variants, variantsOf } from './vocabulary.ts';

/** A term of the question with its weight and its variants in the text. */
export interface WeightedTerm {
  readonly stem: string;
  readonly weight: number;
  readonly variants: Variants;
}

// A word that occurs nowhere is more often worded differently than about another subject.
const unseenShare = 0.8;

function strongestOf(variants: Variants): string | undefined {
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
  const rarityOf = (count: number) => Math.log(1 + (total + 1) / (count + 0.5));
  return [...terms].map(([stem, weight]) => {
    const variants = variantsOf(stem, counts);
    const strongest = strongestOf(variants);
    const rarity = strongest === undefined ? unseenShare * rarityOf(0) : rarityOf(counts.get(strongest) ?? 0);
    return { stem, weight: weight * rarity, variants };
  });
}
