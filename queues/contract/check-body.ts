import type Joi from 'joi';
import type { FieldError } from './failure.ts';
import { type Field, isObject, type JsonObject, type Part, partOf, type Shape } from './shape.ts';

/*
 * How what was sent is checked against its shape. Whatever it is, the work is bounded by the shape and not by the size
 * of the body: a list or map that is too long is refused before its items are looked at, fields that nobody declared
 * are never visited, and the search ends with the twentieth wrong field.
 */

export const MOST_WRONG = 20;

export interface Checked<T> {
  /** The declared fields alone; of use only where nothing is wrong. */
  readonly value: T;
  readonly wrong: readonly FieldError[];
}

/** Where the check stands, and what it has found. */
interface Search {
  readonly path: (string | number)[];
  readonly wrong: FieldError[];
}

const options: Joi.ValidationOptions = {
  convert: false,
  errors: { label: false },
  // By default this one quotes the value.
  messages: { 'string.pattern.base': 'has the wrong form', 'string.guid': 'must be a UUID' },
};

export function checkBody<T>(shape: Shape<T>, body: unknown): Checked<T> {
  const search: Search = { path: [], wrong: [] };
  return { value: checked(shape, body, search) as T, wrong: search.wrong };
}

function checked(shape: Shape<unknown>, value: unknown, search: Search): unknown {
  const part = partOf(shape);
  switch (part.kind) {
    case 'value':
      return part.isRight(value) ? value : judged(shape, value, search);
    case 'object':
      return isObject(value) ? checkedObject(part, value, search) : refuse(search, 'must be an object');
    case 'map':
      return isObject(value) ? checkedMap(part, value, search) : refuse(search, 'must be an object');
    case 'list':
      return Array.isArray(value) ? checkedList(part, value, search) : refuse(search, 'must be a list');
    case 'choice':
      return checkedChoice(part.among, value, search);
  }
}

function judged(shape: Shape<unknown>, value: unknown, search: Search): unknown {
  const { error } = shape.validate(value, options);
  return error ? refuse(search, error.details[0]?.message ?? 'is wrong') : value;
}

function checkedObject(
  { fields, isOpen, max }: Extract<Part, { kind: 'object' }>,
  value: JsonObject,
  search: Search,
): unknown {
  if (max !== undefined && Object.keys(value).length > max) return refuse(search, tooManyFields(max));
  const found: [string, unknown][] = [];
  const given = fields.filter(field => isGiven(field, value));
  for (const { name, shape } of given) {
    if (isFull(search)) break;
    found.push([name, within(search, name, shape, value[name])]);
  }
  for (const { name, isRequired } of fields) {
    if (isRequired && !Object.hasOwn(value, name) && !isFull(search)) refuse(search, 'is required', name);
  }
  return isOpen ? withAll(value, fields, new Map(found)) : Object.fromEntries(found);
}

/** Copied only where something differs: an open object may have any number of fields. */
function withAll(
  value: JsonObject,
  fields: readonly Field[],
  found: ReadonlyMap<string, unknown>,
): JsonObject {
  const changed = fields.filter(({ name }) => Object.hasOwn(value, name) && found.get(name) !== value[name]);
  if (changed.length === 0) return value;
  const kept = { ...value, ...Object.fromEntries(found) };
  for (const { name } of changed) if (!found.has(name)) delete kept[name];
  return kept;
}

/** A name of an object's own machinery is a field only where it was sent. */
function isGiven({ name, isRequired, takesNull }: Field, value: JsonObject): boolean {
  if (!Object.hasOwn(value, name)) return false;
  return value[name] !== null || takesNull || isRequired;
}

function checkedMap(
  { value: shape, max }: Extract<Part, { kind: 'map' }>,
  map: JsonObject,
  search: Search,
): unknown {
  const names = Object.keys(map);
  if (names.length > max) return refuse(search, tooManyFields(max));
  const entries: [string, unknown][] = [];
  for (const name of names) {
    if (isFull(search)) break;
    entries.push([name, within(search, name, shape, map[name])]);
  }
  return Object.fromEntries(entries);
}

function tooManyFields(max: number): string {
  return `must have at most ${max} fields`;
}

function checkedList(
  { item, min, max }: Extract<Part, { kind: 'list' }>,
  list: readonly unknown[],
  search: Search,
): unknown {
  if (list.length > max) return refuse(search, `must contain at most ${max} items`);
  if (list.length < min) return refuse(search, `must contain at least ${min} items`);
  const kept: unknown[] = [];
  for (const [at, value] of list.entries()) {
    if (isFull(search)) break;
    kept.push(within(search, at, item, value));
  }
  return kept;
}

/** Where only one of them could be meant, what is wrong is named as if there were no choice. */
function checkedChoice(among: readonly Shape<unknown>[], value: unknown, search: Search): unknown {
  const meant = among.filter(shape => isOfKind(shape, value));
  const [only] = meant;
  if (only && meant.length === 1) return checked(only, value, search);
  for (const shape of meant) {
    const attempt: Search = { path: [], wrong: [] };
    const kept = checked(shape, value, attempt);
    if (attempt.wrong.length === 0) return kept;
  }
  return refuse(search, 'does not match any of the allowed types');
}

function isOfKind(shape: Shape<unknown>, value: unknown): boolean {
  const part = partOf(shape);
  if (part.kind === 'choice') return part.among.some(each => isOfKind(each, value));
  if (part.kind === 'list') return Array.isArray(value);
  if (part.kind !== 'value') return isObject(value);
  return part.isRight(value) || typeof value === shape.type;
}

function within(search: Search, at: string | number, shape: Shape<unknown>, value: unknown): unknown {
  search.path.push(at);
  const kept = checked(shape, value, search);
  search.path.pop();
  return kept;
}

function refuse({ path, wrong }: Search, message: string, ...field: string[]): undefined {
  wrong.push({ path: pathOf([...path, ...field]), message });
}

function isFull({ wrong }: Search): boolean {
  return wrong.length >= MOST_WRONG;
}

/** As one would write it in code: chainJson[3].type */
function pathOf(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at > 0 ? `.${part}` : part))
    .join('');
}
