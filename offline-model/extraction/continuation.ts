import type { Unit } from './units.ts';

// A sentence with such a start continues the one before it.
const continuationStart =
  /^(?:el[ea]s?|ess[ea]s?|est[ea]s?|isso|isto|neste|nesse|nessa|nesta|para isso|também|caso contrário|passado|por isso|portanto|assim)(?![\p{L}])/iu;

export const isContinuation = ({ text }: Unit) => continuationStart.test(text);
