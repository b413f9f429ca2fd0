const MAX_LENGTH = 16_000;
const TIMES = 8;
/** Eight times the text takes about eight times as long; quadratic time would be 64 times. */
const MAX_GROWTH = 40;
/** Shorter runs are not repeated: a step for each pair of characters takes far longer. */
const QUICK_MS = 25;
/** Resolution of the clock. */
const MIN_MS = 0.4;

/** Whether the time of `run` grows faster than the length of its text, and by which factor. */
export function growthBeyondLinear(
  run: (text: string) => unknown,
  textOf: (length: number) => string,
): string | undefined {
  const shortTime = (text: string, tries: number) =>
    Math.max(
      bestTime(() => run(text), tries),
      MIN_MS,
    );
  // Lengths increase in steps, so that a run that would not end never gets the full length.
  for (let length = MAX_LENGTH / TIMES; length <= MAX_LENGTH; length *= 2) {
    const text = textOf(length);
    const took = bestTime(() => run(text), 1);
    if (took < QUICK_MS) continue;
    const short = textOf(length / TIMES);
    // Most texts are read once: a growth that seems too great is measured again.
    if (took / shortTime(short, 1) <= MAX_GROWTH) continue;
    const growth = bestTime(() => run(text), 3) / shortTime(short, 5);
    if (growth > MAX_GROWTH)
      return `${Math.round(took)} ms for ${length} characters, ${growth.toFixed(0)} times that of an eighth`;
  }
  return undefined;
}

function bestTime(run: () => unknown, tries: number): number {
  return Math.min(...Array.from({ length: tries }, () => timeOf(run)));
}

/** CPU milliseconds, so that other load on the machine does not count. */
export function timeOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
