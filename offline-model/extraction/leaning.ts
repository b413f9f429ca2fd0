import type { Unit } from './units.ts';

// A sentence that begins so leans on the one before it.
const leaning =
  /^(?:el[ea]s?|ess[ea]s?|est[ea]s?|isso|isto|neste|nesse|nessa|nesta|para isso|também|caso contrário|passado|por isso|portanto|assim)(?![\p{L}])/iu;

export const leansOnBefore = ({ text }: Unit) => leaning.test(text);
