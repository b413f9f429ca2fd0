const MAX_LENGTH = 16_000;
const TIMES = 8;
/** Eight times the text takes about eight times as long; quadratic time would be 64 times. */
const MAX_GROWTH = 40;
/** Shorter runs are not repeated: a step for each pair of characters takes far longer. */
const QUICK_MS = 25;
/** Resolution of the clock. */
const MIN_MS = 0.4;

/** A growth that seems too great is measured again for this long: a pause of the machine, or of the engine, ends sooner. */
const PATIENCE_MS = 1_000;
const MIN_TRIES = 3;

/** Whether the time of `run` grows faster than the length of its text, and by which factor. */
export function growthBeyondLinear(
  run: (text: string) => unknown,
  textOf: (length: number) => string,
): string | undefined {
  // Lengths increase in steps, so that a run that would not end never gets the full length.
  for (let length = MAX_LENGTH / TIMES; length <= MAX_LENGTH; length *= 2) {
    const [text, part] = [textOf(length), textOf(length / TIMES)];
    const took = timeOf(() => run(text));
    if (took < QUICK_MS) continue;
    let [long, short, spent] = [took, Number.POSITIVE_INFINITY, 0];
    for (let tries = 1; ; tries += 1) {
      short = Math.min(short, ...Array.from({ length: MIN_TRIES }, () => timeOf(() => run(part))));
      const growth = long / Math.max(short, MIN_MS);
      if (growth <= MAX_GROWTH) break;
      if (tries > MIN_TRIES && spent > PATIENCE_MS)
        return `${Math.round(long)} ms for ${length} characters, ${growth.toFixed(0)} times that of an eighth`;
      const again = timeOf(() => run(text));
      long = Math.min(long, again);
      spent += again;
    }
  }
  return undefined;
}

/** The least is counted of two times: the processor's has what other threads do, such as the collector's; the clock's has other processes. */
export function timeOf(run: () => unknown): number {
  const [at, before] = [performance.now(), process.cpuUsage()];
  run();
  const { user, system } = process.cpuUsage(before);
  return Math.min((user + system) / 1_000, performance.now() - at);
}
