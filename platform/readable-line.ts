/*
 * Log lines for a person at a terminal. A log is JSON everywhere else.
 */

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
const ERROR_LEVEL = 50;
const SHOWN_ELSEWHERE = new Set(['level', 'time', 'process', 'msg', 'event', 'err']);
const MAX_FIELDS = 8;
const MAX_VALUE = 160;

interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly process?: string;
  readonly msg?: string;
  readonly event?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/**
 * Shows process, time, level, message, event and some fields, and the stack of an error. Undefined if the line is no log line.
 */
export function readableLineOf(json: string): string | undefined {
  const line = parseLine(json);
  if (!line) return undefined;
  const { level, time, process = '', msg = '', event, err } = line;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const fields = Object.entries(line)
    .filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && value !== null && typeof value !== 'object')
    // Ids are long and say least, so they come last.
    .toSorted(([one], [other]) => Number(one.endsWith('Id')) - Number(other.endsWith('Id')))
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => `${name}=${shownValueOf(value)}`);
  const parts = [
    msg,
    ...(event ? [`(${event})`] : []),
    ...fields,
    ...(err ? [`error=${shownValueOf(err.message)}`] : []),
  ];
  const stack = level >= ERROR_LEVEL && err?.stack ? err.stack.split('\n').slice(1) : [];
  const head = `${process.padEnd(8)}| ${clock} ${(LEVELS[level] ?? String(level)).padEnd(5)} ${parts.join(' ')}`;
  // A foreign value could otherwise steer the terminal: "\u001b]0;…" names its window.
  return [head, ...stack].map(text => text.replaceAll(/\p{Cc}/gu, ' ')).join('\n');
}

function parseLine(json: string): LogLine | undefined {
  if (!json.startsWith('{')) return undefined;
  try {
    const line = JSON.parse(json);
    return typeof line.level === 'number' && typeof line.time === 'number' ? line : undefined;
  } catch {
    return undefined;
  }
}

function shownValueOf(value: unknown): string {
  const text = String(value);
  const short = text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
  return /[\s"=]/.test(short) || short === '' ? JSON.stringify(short) : short;
}
