/** Opus counts in samples of this rate, whatever it plays. */
export const OPUS_RATE = 48_000;
/** No packet plays longer. */
export const MAX_OPUS_SECONDS = 0.12;

/** The milliseconds of a frame by the upper bits of a packet: four kinds of SILK, hybrid and CELT each. */
const silk = [10, 20, 40, 60];
const hybrid = [10, 20];
const celt = [2.5, 5, 10, 20];
const frameMs = [...silk, ...silk, ...silk, ...hybrid, ...hybrid, ...celt, ...celt, ...celt, ...celt];

/** How long a packet plays, as its first two bytes tell: a decoder plays it, whatever is said around it. */
export function opusSecondsOf(first: number, second: number): number {
  const frames = [1, 2, 2, second & 0x3f][first & 3] || Infinity;
  return Math.min((frames * (frameMs[first >> 3] ?? 0)) / 1_000, MAX_OPUS_SECONDS);
}
