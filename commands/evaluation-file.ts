import { checkBody } from '../queues/contract/check-body.ts';
import {
  type EvaluationCase,
  evaluationCase,
  expectation,
} from '../queues/contract/operations/evaluation-shape.ts';
import { partOf, type Shape } from '../queues/contract/shape.ts';

/** Reads one case per line; blank lines are skipped. Throws with a line for each problem. */
export function parseCases(text: string): EvaluationCase[] {
  const read = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [parseLine(line, at + 1)]));
  const errors = [...read.flatMap(({ errors }) => errors), ...listRepeated(read)];
  if (errors.length > 0) throw new Error(errors.join('\n'));
  if (read.length === 0) throw new Error('The file has no cases.');
  return read.map(({ value }) => value);
}

export function nameOf({ name, question }: EvaluationCase): string {
  return name ?? question;
}

interface ReadLine {
  readonly line: number;
  readonly value: EvaluationCase;
  readonly errors: readonly string[];
}

function parseLine(text: string, line: number): ReadLine {
  const refuse = (...errors: string[]): ReadLine => ({
    line,
    value: { question: '', expect: {} },
    errors: errors.map(error => `line ${line}: ${error}`),
  });
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return refuse('is not JSON');
  }
  const { value, errors } = checkBody(evaluationCase, given);
  const problems = errors.map(({ path, message }) => `${path || 'the case'} ${message}`);
  if (problems.length > 0) return refuse(...problems);
  // A misspelt check would always pass.
  const unknown = [
    ...listUnknown(evaluationCase, given as object),
    ...listUnknown(expectation, (given as EvaluationCase).expect),
  ];
  return unknown.length > 0
    ? refuse(...unknown.map(name => `unknown field "${name}"`))
    : { line, value, errors: [] };
}

function listUnknown(shape: Shape<unknown>, given: object): string[] {
  const part = partOf(shape);
  const known = part.kind === 'object' ? part.fields.map(({ name }) => name) : [];
  return Object.keys(given).filter(name => !known.includes(name));
}

/** Finds repeated names: verdicts are compared by name. */
function listRepeated(read: readonly ReadLine[]): string[] {
  const lines = new Map<string, number>();
  return read.flatMap(({ line, value, errors }) => {
    const name = nameOf(value);
    const first = lines.get(name);
    if (errors.length > 0) return [];
    lines.set(name, first ?? line);
    return first === undefined ? [] : [`line ${line}: has the name of line ${first}`];
  });
}
