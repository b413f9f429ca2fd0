import { MAX_DEPTH, MAX_VALUES, tooDeep, tooMany } from './json-bounds.ts';
import { refuseField } from './validate.ts';

/*
 * A form as an object: `email=…` is a field, `fields[email][value]=…` is one of objects within each other, a name with `[]` or
 * several times is a list, and so are names that count from 0. A name that fits nowhere else is a field as it is written.
 */

/** A list until it is known whether its names count. */
type Level = Map<string, FormValue>;
type FormValue = string | string[] | Level;

/** `decode` turns bytes into a text, and `form` has a character for each byte. The bounds are as for JSON; names such as `__proto__` are fields like any other, as there. */
export function parseForm(form: string, decode: (bytes: Buffer) => string): object {
  const root: Level = new Map();
  let values = 1;
  const count = () => {
    values += 1;
    if (values > MAX_VALUES) refuseField('', tooMany.rule, tooMany);
  };
  for (const pair of form.split('&')) {
    if (pair.trim() === '') continue;
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decodePart(pair.slice(0, end), decode).trim();
    count();
    place(root, name, decodePart(pair.slice(end + 1), decode), count);
  }
  return Object.fromEntries([...root].map(([name, value]) => [name, toJson(value)]));
}

const PERCENT = 0x25;

/** Replacing by a regular expression took half a second where each of 1 MiB was escaped. */
function decodePart(part: string, decode: (bytes: Buffer) => string): string {
  const text = part.replaceAll('+', ' ');
  if (!/[%\u0080-\u00ff]/.test(text)) return text;
  const bytes = Buffer.alloc(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const escaped = code === PERCENT ? hexAt(text, at + 1) * 16 + hexAt(text, at + 2) : Number.NaN;
    bytes[length++] = Number.isNaN(escaped) ? code : escaped;
    if (!Number.isNaN(escaped)) at += 2;
  }
  return decode(bytes.subarray(0, length));
}

function hexAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = (code | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : Number.NaN;
}

function place(root: Level, name: string, value: string, count: () => void): void {
  const { steps, isList } = stepsOf(name);
  let level = root;
  for (const step of steps.slice(0, -1)) {
    const inner = level.get(step) ?? new Map<string, FormValue>();
    // A value and an object cannot have the same name.
    if (!(inner instanceof Map)) return add(root, name, value, false);
    if (!level.has(step)) count();
    level.set(step, inner);
    level = inner;
  }
  const last = steps.at(-1) ?? '';
  if (level.get(last) instanceof Map) add(root, name, value, false);
  else add(level, last, value, isList);
}

function add(level: Level, name: string, value: string, isList: boolean): void {
  const known = level.get(name);
  if (Array.isArray(known)) known.push(value);
  else if (typeof known === 'string') level.set(name, [known, value]);
  else if (known === undefined) level.set(name, isList ? [value] : value);
}

/** Brackets that are not whole belong to the name. */
function stepsOf(name: string): { readonly steps: readonly string[]; readonly isList: boolean } {
  const [, first = '', brackets = ''] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  if (first === '') return { steps: [name], isList: false };
  const steps = [first, ...brackets.slice(1, -1).split('][')];
  const isList = steps.at(-1) === '';
  // The innermost value is a level, too.
  if (steps.length > MAX_DEPTH) refuseField('', tooDeep.rule, tooDeep);
  return { steps: isList ? steps.slice(0, -1) : steps, isList };
}

function toJson(value: FormValue): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...value].map(([name, inner]) => [name, toJson(inner)] as const);
  const isList = entries.every(([name], at) => name === String(at));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
