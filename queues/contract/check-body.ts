import type Joi from 'joi';
import type { FieldError } from './failure.ts';
import { type Field, isObject, type JsonObject, type Part, partOf, type Shape } from './shape.ts';

/*
 * How what was sent is checked against its shape. Whatever it is, the work is bounded by the shape and not by the size
 * of the body: a list or map that is too long is refused before its items are looked at, fields that nobody declared
 * are never visited, and the search ends with the twentieth wrong field.
 */

export const MOST_WRONG = 20;

export interface CheckResult<T> {
  /** The declared fields alone; of use only where nothing is wrong. */
  readonly value: T;
  readonly wrong: readonly FieldError[];
}

/** Where the check stands, and what it has found. */
interface CheckState {
  readonly path: (string | number)[];
  readonly wrong: FieldError[];
}

const options: Joi.ValidationOptions = {
  convert: false,
  errors: { label: false },
  // By default this one quotes the value.
  messages: { 'string.pattern.base': 'has the wrong form', 'string.guid': 'must be a UUID' },
};

export function checkBody<T>(shape: Shape<T>, body: unknown): CheckResult<T> {
  const state: CheckState = { path: [], wrong: [] };
  return { value: checkValue(shape, body, state) as T, wrong: state.wrong };
}

function checkValue(shape: Shape<unknown>, value: unknown, state: CheckState): unknown {
  const part = partOf(shape);
  switch (part.kind) {
    case 'value':
      return part.isRight(value) ? value : checkWithJoi(shape, value, state);
    case 'object':
      return isObject(value) ? checkObject(part, value, state) : addError(state, 'must be an object');
    case 'map':
      return isObject(value) ? checkMap(part, value, state) : addError(state, 'must be an object');
    case 'list':
      return Array.isArray(value) ? checkList(part, value, state) : addError(state, 'must be a list');
    case 'choice':
      return checkChoice(part.among, value, state);
  }
}

function checkWithJoi(shape: Shape<unknown>, value: unknown, state: CheckState): unknown {
  const { error } = shape.validate(value, options);
  return error ? addError(state, error.details[0]?.message ?? 'is wrong') : value;
}

function checkObject(
  { fields, isOpen, max }: Extract<Part, { kind: 'object' }>,
  value: JsonObject,
  state: CheckState,
): unknown {
  if (max !== undefined && Object.keys(value).length > max) return addError(state, tooManyFields(max));
  const found: [string, unknown][] = [];
  const given = fields.filter(field => isSent(field, value));
  for (const { name, shape } of given) {
    if (hasEnoughErrors(state)) break;
    found.push([name, checkPart(state, name, shape, value[name])]);
  }
  for (const { name, isRequired } of fields) {
    if (isRequired && !Object.hasOwn(value, name) && !hasEnoughErrors(state))
      addError(state, 'is required', name);
  }
  return isOpen ? mergeDeclared(value, fields, new Map(found)) : Object.fromEntries(found);
}

/** Copied only where something differs: an open object may have any number of fields. */
function mergeDeclared(
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
function isSent({ name, isRequired, takesNull }: Field, value: JsonObject): boolean {
  if (!Object.hasOwn(value, name)) return false;
  return value[name] !== null || takesNull || isRequired;
}

function checkMap(
  { value: shape, max }: Extract<Part, { kind: 'map' }>,
  map: JsonObject,
  state: CheckState,
): unknown {
  const names = Object.keys(map);
  if (names.length > max) return addError(state, tooManyFields(max));
  const entries: [string, unknown][] = [];
  for (const name of names) {
    if (hasEnoughErrors(state)) break;
    entries.push([name, checkPart(state, name, shape, map[name])]);
  }
  return Object.fromEntries(entries);
}

function tooManyFields(max: number): string {
  return `must have at most ${max} fields`;
}

function checkList(
  { item, min, max }: Extract<Part, { kind: 'list' }>,
  list: readonly unknown[],
  state: CheckState,
): unknown {
  if (list.length > max) return addError(state, `must contain at most ${max} items`);
  if (list.length < min) return addError(state, `must contain at least ${min} items`);
  const kept: unknown[] = [];
  for (const [at, value] of list.entries()) {
    if (hasEnoughErrors(state)) break;
    kept.push(checkPart(state, at, item, value));
  }
  return kept;
}

/** Where only one of them could be meant, what is wrong is named as if there were no choice. */
function checkChoice(among: readonly Shape<unknown>[], value: unknown, state: CheckState): unknown {
  const meant = among.filter(shape => isOfKind(shape, value));
  const [only] = meant;
  if (only && meant.length === 1) return checkValue(only, value, state);
  for (const shape of meant) {
    const attempt: CheckState = { path: [], wrong: [] };
    const kept = checkValue(shape, value, attempt);
    if (attempt.wrong.length === 0) return kept;
  }
  return addError(state, 'does not match any of the allowed types');
}

function isOfKind(shape: Shape<unknown>, value: unknown): boolean {
  const part = partOf(shape);
  if (part.kind === 'choice') return part.among.some(each => isOfKind(each, value));
  if (part.kind === 'list') return Array.isArray(value);
  if (part.kind !== 'value') return isObject(value);
  return part.isRight(value) || typeof value === shape.type;
}

function checkPart(state: CheckState, at: string | number, shape: Shape<unknown>, value: unknown): unknown {
  state.path.push(at);
  const kept = checkValue(shape, value, state);
  state.path.pop();
  return kept;
}

function addError({ path, wrong }: CheckState, message: string, ...field: string[]): undefined {
  wrong.push({ path: pathOf([...path, ...field]), message });
}

function hasEnoughErrors({ wrong }: CheckState): boolean {
  return wrong.length >= MOST_WRONG;
}

/** As one would write it in code: chainJson[3].type */
function pathOf(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at > 0 ? `.${part}` : part))
    .join('');
}
