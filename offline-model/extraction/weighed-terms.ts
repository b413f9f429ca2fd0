import { type Variants, variantsOf } from './vocabulary.ts';

/** A term of the question with its weight and its variants in the text. */
export interface WeighedTerm {
  readonly stem: string;
  readonly weight: number;
  readonly variants: Variants;
}

// A word that occurs nowhere more often has another wording than another subject.
const unseenShare = 0.8;

function strongestOf(variants: Variants): string | undefined {
  let strongest: string | undefined;
  for (const [stem, strength] of variants) {
    if (strongest === undefined || strength > (variants.get(strongest) ?? 0)) strongest = stem;
  }
  return strongest;
}

/** `counts`: stem → in how many of the `total` units it stands; the rarer a word, the more it weighs. */
export function weighTerms(
  terms: ReadonlyMap<string, number>,
  counts: ReadonlyMap<string, number>,
  total: number,
): WeighedTerm[] {
  const rarityOf = (count: number) => Math.log(1 + (total + 1) / (count + 0.5));
  return [...terms].map(([stem, weight]) => {
    const variants = variantsOf(stem, counts);
    const strongest = strongestOf(variants);
    const rarity = strongest === undefined ? unseenShare * rarityOf(0) : rarityOf(counts.get(strongest) ?? 0);
    return { stem, weight: weight * rarity, variants };
  });
}
