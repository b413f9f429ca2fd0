export interface ProcfileLine {
  readonly name: string;
  /** Program and arguments, without a shell. */
  readonly command: readonly string[];
}

/** Parses lines `name: command`; ignores empty lines and comments (`#`). */
export function parseProcfile(text: string): ProcfileLine[] {
  const lines = text.split('\n').map(line => line.trim());
  return lines.filter(line => line && !line.startsWith('#')).map(parseLine);
}

function parseLine(line: string): ProcfileLine {
  const [, name, command] = /^([A-Za-z0-9_-]+):\s*(\S.*)$/.exec(line) ?? [];
  if (!name || !command) throw new Error(`Procfile: not "name: command": ${line}`);
  return { name, command: command.split(/\s+/) };
}
