type Step = () => Promise<void> | void;

const steps: Step[] = [];

/**
 * Registers a step for the end of the tests of a process (of each file with `--parallel`). So the hooks of mocha need not
 * load the database for tests that do not use it. The last registered step runs first.
 */
export function atRunEnd(step: Step): void {
  steps.push(step);
}

export async function endRun(): Promise<void> {
  for (const step of steps.toReversed()) await step();
}
