import type Joi from 'joi';
import { type FieldError, MAX_FIELD_ERRORS } from '../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts';
import { type Field, type Part, partOf, type Shape } from './shape.ts';

/*
 * Checks a body against its shape. The cost is bounded by the shape, not by the size of the body: a list or map that is
 * too long is refused before its items are visited, undeclared fields are never visited, and the check stops after
 * `MAX_FIELD_ERRORS` errors.
 */

export interface CheckResult<T> {
  /** Only the declared fields. Valid only if `errors` is empty. */
  readonly value: T;
  readonly errors: readonly FieldError[];
}

/** The path of the value being checked, and the errors found so far. */
interface CheckState {
  readonly path: (string | number)[];
  readonly errors: FieldError[];
}

const joiOptions: Joi.ValidationOptions = {
  convert: false,
  errors: { label: false },
  // The default messages of these quote the value.
  messages: { 'string.pattern.base': 'has an invalid format', 'string.guid': 'must be a UUID' },
};

export function checkBody<T>(shape: Shape<T>, body: unknown): CheckResult<T> {
  const state: CheckState = { path: [], errors: [] };
  return { value: checkValue(shape, body, state) as T, errors: state.errors };
}

function checkValue(shape: Shape<unknown>, value: unknown, state: CheckState): unknown {
  const part = partOf(shape);
  switch (part.kind) {
    case 'value':
      return part.isRight(value) ? value : checkWithJoi(shape, value, state);
    case 'object':
      return isJsonObject(value) ? checkObject(part, value, state) : addError(state, 'must be an object');
    case 'map':
      return isJsonObject(value) ? checkMap(part, value, state) : addError(state, 'must be an object');
    case 'list':
      return Array.isArray(value) ? checkList(part, value, state) : addError(state, 'must be a list');
    case 'choice':
      return checkChoice(part.among, value, state);
  }
}

function checkWithJoi(shape: Shape<unknown>, value: unknown, state: CheckState): unknown {
  const { error } = shape.validate(value, joiOptions);
  return error ? addError(state, error.details[0]?.message ?? 'is invalid') : value;
}

function checkObject(
  { fields, isOpen, max }: Extract<Part, { kind: 'object' }>,
  value: JsonObject,
  state: CheckState,
): unknown {
  if (max !== undefined && Object.keys(value).length > max) return addError(state, tooManyFields(max));
  const found: [string, unknown][] = [];
  const sent = fields.filter(field => isSent(field, value) || isSentAsAlias(field, value));
  for (const field of sent) {
    if (hasEnoughErrors(state)) break;
    const sentName = isSentAsAlias(field, value) ? field.alias : field.name;
    found.push([field.name, checkPart(state, sentName, field.shape, value[sentName])]);
    if (!isAliasEqual(field, value)) addError(state, `must equal ${field.name}`, field.alias ?? '');
  }
  for (const field of fields) {
    if (field.isRequired && !Object.hasOwn(value, field.name) && !isSentAsAlias(field, value))
      if (!hasEnoughErrors(state)) addError(state, 'is required', field.name);
  }
  return isOpen ? mergeDeclared(value, fields, new Map(found)) : Object.fromEntries(found);
}

/** Copies the object only if a value changed: an open object may have many fields. */
function mergeDeclared(
  value: JsonObject,
  fields: readonly Field[],
  found: ReadonlyMap<string, unknown>,
): JsonObject {
  const changed = fields.filter(({ name }) => Object.hasOwn(value, name) && found.get(name) !== value[name]);
  if (changed.length === 0) return value;
  const checked = { ...value, ...Object.fromEntries(found) };
  for (const { name } of changed) if (!found.has(name)) delete checked[name];
  return checked;
}

/** `hasOwn`: inherited names such as `constructor` are not fields. */
function isSent({ name, isRequired, takesNull }: Field, value: JsonObject): boolean {
  if (!Object.hasOwn(value, name)) return false;
  return value[name] !== null || takesNull || isRequired;
}

type AliasedField = Field & { readonly alias: string };

function isSentAsAlias(field: Field, value: JsonObject): field is AliasedField {
  return field.alias !== undefined && hasValue(value, field.alias) && !hasValue(value, field.name);
}

/** Ids that differ only in capitals are equal. */
function isAliasEqual({ name, alias }: Field, value: JsonObject): boolean {
  if (alias === undefined || !hasValue(value, alias) || !hasValue(value, name)) return true;
  const [own, other] = [value[name], value[alias]];
  return typeof own === 'string' && typeof other === 'string' && own.toLowerCase() === other.toLowerCase();
}

function hasValue(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== null;
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
  const checked: unknown[] = [];
  for (const [at, value] of list.entries()) {
    if (hasEnoughErrors(state)) break;
    checked.push(checkPart(state, at, item, value));
  }
  return checked;
}

/** If only one alternative has the type of the value, its errors are reported instead of a general one. */
function checkChoice(among: readonly Shape<unknown>[], value: unknown, state: CheckState): unknown {
  const candidates = among.filter(shape => isOfKind(shape, value));
  const [only] = candidates;
  if (only && candidates.length === 1) return checkValue(only, value, state);
  for (const shape of candidates) {
    const attempt: CheckState = { path: [], errors: [] };
    const checked = checkValue(shape, value, attempt);
    if (attempt.errors.length === 0) return checked;
  }
  return addError(state, 'does not match any of the allowed types');
}

function isOfKind(shape: Shape<unknown>, value: unknown): boolean {
  const part = partOf(shape);
  if (part.kind === 'choice') return part.among.some(each => isOfKind(each, value));
  if (part.kind === 'list') return Array.isArray(value);
  if (part.kind !== 'value') return isJsonObject(value);
  return part.isRight(value) || typeof value === shape.type;
}

function checkPart(state: CheckState, at: string | number, shape: Shape<unknown>, value: unknown): unknown {
  state.path.push(at);
  const checked = checkValue(shape, value, state);
  state.path.pop();
  return checked;
}

function addError({ path, errors }: CheckState, message: string, ...field: string[]): undefined {
  errors.push({ path: pathOf([...path, ...field]), message });
}

function hasEnoughErrors({ errors }: CheckState): boolean {
  return errors.length >= MAX_FIELD_ERRORS;
}

/** In JavaScript notation: chainJson[3].type */
function pathOf(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at > 0 ? `.${part}` : part))
    .join('');
}
