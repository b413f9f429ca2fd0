import { printLine } from './print-line.ts';
import type { ProcfileLine } from './procfile.ts';
import { runOnce } from './run-once.ts';
import type { StopSignals } from './stop-signals.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface ProcessSettings {
  /** Known at once. */
  readonly own: NodeJS.ProcessEnv;
  /** With those of the parts that are still starting. */
  readonly all: Promise<NodeJS.ProcessEnv>;
  /** Whether the release inserts the demonstration hosts. */
  readonly seeds: boolean;
}

export interface StartedProcesses {
  readonly processes: readonly SupervisedProcess[];
  /** Resolves when the release is done and the processes run. */
  readonly settings: Promise<NodeJS.ProcessEnv>;
}

/** Runs the release, then the other processes, which load their modules meanwhile. */
export function startProcesses(
  lines: readonly ProcfileLine[],
  settings: ProcessSettings,
  signals: StopSignals,
): StartedProcesses {
  const lasting = lines.filter(line => !isRelease(line));
  const names = lasting.map(({ name }) => name).join(', ');
  let known: NodeJS.ProcessEnv | undefined;
  const released = release(lines.filter(isRelease), settings, signals).then(env => {
    known = env;
    printLine(`starting ${names}`);
    return env;
  });
  const processes = lasting.map(line => {
    const latePlan = async () => ({ ...line, env: await released });
    const earlyPlan = () => ({ ...line, env: settings.own, settings: released });
    // A restart has nothing to wait for.
    return new SupervisedProcess(() => (canWait(line) && known === undefined ? earlyPlan() : latePlan()));
  });
  return { processes, settings: released };
}

async function release(
  lines: readonly ProcfileLine[],
  { all, seeds }: ProcessSettings,
  signals: StopSignals,
): Promise<NodeJS.ProcessEnv> {
  const env = await all;
  printLine('migrating the database');
  for (const line of lines) {
    const command = seeds ? [...line.command, '--seed'] : line.command;
    await runOnce({ ...line, command, env }, signals);
  }
  return env;
}

function isRelease({ name }: ProcfileLine): boolean {
  return name === 'release';
}

/** A watched process runs in a child of its own, which our messages do not reach. */
function canWait({ command: [program, ...args] }: ProcfileLine): boolean {
  return program === 'node' && !args.includes('--watch');
}
