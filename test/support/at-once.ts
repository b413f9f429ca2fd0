/** All that begins together takes its time from the first of them. */
const TIMEOUT_MS = 300_000;

/**
 * Tests that begin together, with the first of them: most of their time is waiting. Each has hosts, servers or processes of its own,
 * and tells its own result.
 */
export function itAtOnce(cases: Readonly<Record<string, () => Promise<void>>>): void {
  let begun: ReadonlyMap<string, Promise<void>> | undefined;
  const begin = () =>
    new Map(
      Object.entries(cases).map(([title, run]) => {
        const running = run();
        // It may fail before its turn to tell.
        running.catch(() => {});
        return [title, running];
      }),
    );
  for (const title of Object.keys(cases))
    it(title, () => {
      begun ??= begin();
      return begun.get(title);
    }).timeout(TIMEOUT_MS);
}
