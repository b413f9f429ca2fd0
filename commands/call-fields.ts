import { readFileSync } from 'node:fs';
import { quoteLargeIntegers } from '../api/guards/json-bounds.ts';
import { isJsonObject } from '../platform/json-object.ts';
import { checkBody } from '../queues/contract/check-body.ts';
import { partOf, type Shape, spellingOf } from '../queues/contract/shape.ts';
import type { Fields } from './run-operation.ts';

/*
 * The fields of an operation as words of a command line. A flag names a field in any spelling (`--time-zone`, `--timeZone`), one within
 * an object after dots. The words up to the next flag are its value, or the items of its list; a flag may also be repeated. The
 * shape says how a word is read: objects are JSON, `@path` reads them from a file and `-` from standard input.
 */

/** The words before the first flag, and after each flag in their order. */
export interface Words {
  readonly first: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

export function wordsOf(args: readonly string[]): Words {
  const first: string[] = [];
  const flags = new Map<string, string[]>();
  let words = first;
  for (const arg of args) {
    const [, name, value] = /^--([A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) {
      words.push(arg);
      continue;
    }
    words = flags.get(name) ?? [];
    flags.set(name, words);
    if (value !== undefined) words.push(value);
  }
  return { first, flags };
}

/** Throws if a flag names no field. */
export function fieldsOf(shape: Shape<unknown>, { flags }: Words, given: Fields = {}): Fields {
  const fields: Record<string, unknown> = { ...given };
  for (const [flag, words] of flags) {
    const steps = flag.split('.');
    const found = fieldAt(shape, steps);
    if (!found) throw new Error(`There is no field "${flag}": see --help.`);
    setAt(fields, found.path, valueOf(found.shape, words));
  }
  return fields;
}

interface Found {
  readonly path: readonly string[];
  readonly shape: Shape<unknown> | undefined;
}

/** The field of these names; without a shape, it is within an object of any fields. */
function fieldAt(shape: Shape<unknown> | undefined, [step, ...rest]: readonly string[]): Found | undefined {
  if (step === undefined) return { path: [], shape };
  const inner = innerOf(shape, step);
  const found = inner && fieldAt(inner.shape, rest);
  return found && inner && { path: [inner.name, ...found.path], shape: found.shape };
}

function innerOf(
  shape: Shape<unknown> | undefined,
  step: string,
): { name: string; shape: Shape<unknown> | undefined } | undefined {
  const part = shape && partOf(shape);
  if (!part) return { name: step, shape: undefined };
  switch (part.kind) {
    case 'object': {
      const field = part.spellings.get(spellingOf(step.replaceAll('-', '')));
      if (field) return { name: field.name, shape: field.shape };
      return part.isOpen ? { name: step, shape: undefined } : undefined;
    }
    case 'map':
      return { name: step, shape: part.value };
    case 'choice':
      return part.among.map(each => innerOf(each, step)).find(Boolean);
    case 'list':
      return undefined;
    case 'value':
      return shape.type === 'object' || shape.type === 'any' ? { name: step, shape: undefined } : undefined;
  }
}

function setAt(
  holder: Record<string, unknown>,
  [step = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    holder[step] = value;
    return;
  }
  const inner = holder[step];
  const next: Record<string, unknown> = isJsonObject(inner) ? { ...inner } : {};
  holder[step] = next;
  setAt(next, rest, value);
}

/** A word that does not fit stays as it is: the check of the body says what is wrong. */
function valueOf(shape: Shape<unknown> | undefined, words: readonly string[]): unknown {
  const part = shape && partOf(shape);
  const [word = '', ...others] = words;
  if (part?.kind === 'list') {
    const isWhole = others.length === 0 && (/^\s*\[/.test(word) || isSource(word));
    return isWhole ? jsonOf(word) : words.map(each => valueOf(part.item, [each]));
  }
  if (shape && part?.kind === 'choice') {
    // Else a field that also takes texts would have the word.
    if (word === 'null' && checkBody(shape, null).errors.length === 0) return null;
    const values = part.among.map(each => ({ each, value: valueOf(each, words) }));
    const fitting = values.find(({ each, value }) => checkBody(each, value).errors.length === 0);
    return (fitting ?? values[0])?.value;
  }
  if (others.length > 0) return words;
  if (part?.kind !== 'value') return jsonOf(word);
  if (shape?.type === 'boolean') return switches.get(word) ?? word;
  if (shape?.type === 'number') return word.trim() === '' ? word : toNumber(word);
  if (shape?.type === 'string') return word;
  return word === 'null' ? null : jsonOf(word);
}

/** A flag alone is a yes. */
const switches = new Map([
  ['', true],
  ['true', true],
  ['on', true],
  ['false', false],
  ['off', false],
]);

function toNumber(word: string): unknown {
  const number = Number(word);
  return Number.isNaN(number) ? word : number;
}

const isSource = (word: string) => word === '-' || word.startsWith('@');

function jsonOf(word: string): unknown {
  if (word === '-') return readJson('-');
  if (word.startsWith('@')) return readJson(word.slice(1));
  try {
    return parseJson(word);
  } catch {
    return word;
  }
}

/** Throws if it is not JSON. Integers that numbers cannot hold become texts. */
function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const exact = quoteLargeIntegers(text);
  return exact === undefined ? value : JSON.parse(exact);
}

/** Reads a file, or standard input for `-`; throws if it is not JSON. */
export function readJson(path: string): unknown {
  const text = readText(path);
  // `npm run` prints lines before the output of a command, which are skipped.
  const json = text.replace(/^\s*(?:> [^\n]*\n\s*)+/, '');
  try {
    return parseJson(json);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
}

export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch {
    throw new Error(`${path} cannot be read.`);
  }
}
