import { readFile } from 'node:fs/promises';
import { printLine } from './print-line.ts';
import { type ProcfileLine, parseProcfile } from './procfile.ts';
import { runOnce } from './run-once.ts';
import type { RunningParts } from './running-parts.ts';
import type { StopSignals } from './stop-signals.ts';
import { SupervisedProcess } from './supervised-process.ts';

export async function startProcesses(
  procfile: string,
  env: NodeJS.ProcessEnv,
  running: RunningParts,
  signals: StopSignals,
): Promise<void> {
  const lines = parseProcfile(await readFile(procfile, 'utf8'));
  printLine('migrating the database');
  for (const line of lines.filter(isRelease)) {
    // Demonstration hosts are inserted into the embedded database only.
    const command = running.database ? [...line.command, '--seed'] : line.command;
    await runOnce({ ...line, command, env }, signals);
  }
  printLine(
    `starting ${lines
      .filter(line => !isRelease(line))
      .map(({ name }) => name)
      .join(', ')}`,
  );
  for (const line of lines.filter(line => !isRelease(line))) {
    running.processes.push(new SupervisedProcess(() => ({ ...line, env })));
  }
}

function isRelease({ name }: ProcfileLine): boolean {
  return name === 'release';
}
