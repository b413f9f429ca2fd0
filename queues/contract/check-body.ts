import { isDeepStrictEqual } from 'node:util';
import {
  type BrokenRule,
  broken,
  DATE_TIME_FORM,
  type FieldError,
  MAX_FIELD_ERRORS,
  type Rule,
} from '../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts';
import { isUuid } from '../../platform/uuid.ts';
import { type Field, MAX_NAME_LENGTH, type Part, partOf, type Shape, spellingOf } from './shape.ts';

/*
 * Checks a body against its shape. The cost is bounded by the shape, not by the size of the body: a list or map that is
 * too long is refused before its items are visited, of undeclared fields only the names are, and the check stops after
 * `MAX_FIELD_ERRORS` errors.
 */

/** A sender misspells one or two fields, or sends an object of another program. */
const MAX_IGNORED_FIELDS = 10;

export interface CheckResult<T> {
  /** Only the declared fields. Valid only if `errors` is empty. */
  readonly value: T;
  readonly errors: readonly FieldError[];
  /** The first unknown fields, as `cases.note`; items of a list are not told apart. */
  readonly ignored: readonly string[];
}

interface CheckOptions {
  /** Whether a name may differ from a field's name in capitals and `_`, or be its alias, and values of lenient objects may be written in another way. */
  readonly mayRespell?: boolean;
}

/** The path of the value being checked, and the results so far. */
interface CheckState {
  readonly path: (string | number)[];
  readonly errors: FieldError[];
  readonly ignored: Set<string>;
  readonly mayRespell: boolean;
  readonly isLenient: boolean;
}

export function checkBody<T>(
  shape: Shape<T>,
  body: unknown,
  { mayRespell = false }: CheckOptions = {},
): CheckResult<T> {
  const part = partOf(shape);
  const isLenient = mayRespell && part.kind === 'object' && part.isLenient === true;
  const state: CheckState = { path: [], errors: [], ignored: new Set(), mayRespell, isLenient };
  const value = checkValue(shape, body, state) as T;
  return { value, errors: state.errors, ignored: [...state.ignored] };
}

function checkValue(shape: Shape<unknown>, sent: unknown, state: CheckState): unknown {
  const part = partOf(shape);
  const value = state.isLenient ? asMeant(shape, sent) : sent;
  switch (part.kind) {
    case 'value':
      return part.isRight(value) ? value : checkWithJoi(shape, value, state);
    case 'object':
      return isJsonObject(value)
        ? checkObject(part, value, part.isLenient === false ? { ...state, isLenient: false } : state)
        : addFormError(shape, state, 'type');
    case 'map':
      return isJsonObject(value) ? checkMap(part, value, state) : addFormError(shape, state, 'type');
    case 'list':
      return Array.isArray(value) ? checkList(part, value, state) : addFormError(shape, state, 'type');
    case 'choice':
      return checkChoice(shape, part.among, value, state);
  }
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Flow builders write a number where a text is meant, and a text or number where a flag is. */
function asMeant(shape: Shape<unknown>, value: unknown): unknown {
  const part = partOf(shape);
  if (part.kind === 'choice') {
    if (part.among.some(each => isOfKind(each, value))) return value;
    return part.among.map(each => asMeant(each, value)).find(meant => meant !== value) ?? value;
  }
  if (part.kind !== 'value' || part.isRight(value)) return value;
  if (value === null) return part.isRight('') ? '' : null;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (!isPlain) return value;
  if (shape.type === 'boolean') return FLAGS.get(String(value).toLowerCase()) ?? value;
  return shape.type === 'string' ? String(value) : value;
}

function checkWithJoi(shape: Shape<unknown>, value: unknown, state: CheckState): unknown {
  const [detail] = shape.validate(value, { convert: false }).error?.details ?? [];
  if (!detail) return value;
  if (detail.type === 'string.empty') return addError(state, broken('not-empty'));
  const { limit, valids } = detail.context ?? {};
  const rule = rulesOfJoi[detail.type] ?? (formOf(shape) === DATE_TIME_FORM ? 'date' : 'format');
  const isInteger = rule === 'type' && shape.$_getRule('integer') !== undefined;
  return addFormError(shape, state, isInteger ? 'integer' : rule, {
    ...(typeof limit === 'number' ? { limit } : {}),
    ...(valids ? { values: valids } : {}),
  });
}

const rulesOfJoi: Readonly<Record<string, Rule>> = {
  'any.only': 'one-of',
  'boolean.base': 'type',
  'number.base': 'type',
  'number.integer': 'integer',
  'number.max': 'max',
  'number.min': 'min',
  'string.base': 'type',
  'string.isoDate': 'date',
  'string.max': 'max-length',
  'string.min': 'min-length',
};

/** The sentences of Joi name the one limit that is broken, or nothing, and quote the value: this says the whole form. */
function addFormError(
  shape: Shape<unknown>,
  state: CheckState,
  rule: Rule,
  known?: Pick<BrokenRule, 'limit' | 'values'>,
): undefined {
  const types = rule === 'type' ? { values: [...new Set(typesOf(shape))] } : {};
  return addError(state, { rule, message: `must be ${formOf(shape)}`, ...known, ...types });
}

/** The types of JSON that the shape takes. */
function typesOf(shape: Shape<unknown>): string[] {
  const part = partOf(shape);
  if (part.kind === 'choice') return part.among.flatMap(typesOf);
  if (part.kind === 'list') return ['array'];
  return [part.kind === 'value' ? (shape.type ?? 'any').replace('any', 'null') : 'object'];
}

function formOf(shape: Shape<unknown>): string {
  const part = partOf(shape);
  if (part.kind === 'value') return part.form;
  if (part.kind === 'choice') return [...new Set(part.among.map(formOf))].join(', or ');
  return part.kind === 'list' ? 'a list' : 'an object';
}

type ObjectPart = Extract<Part, { kind: 'object' }>;

function checkObject(part: ObjectPart, value: JsonObject, state: CheckState): unknown {
  const { fields, isOpen, max } = part;
  if (max !== undefined && Object.keys(value).length > max) return addError(state, tooManyFields(max));
  const respelled = state.mayRespell ? findRespelled(part, value, state) : undefined;
  const found = new Map<string, unknown>();
  for (const field of fields) {
    if (hasEnoughErrors(state)) break;
    const [name, ...others] = namesOf(field, value, { others: respelled?.get(field) ?? [], state });
    if (name === undefined) {
      if (field.isRequired) addError(state, broken('required'), field.name);
      continue;
    }
    found.set(field.name, checkPart(state, name, field.shape, value[name]));
    for (const other of others)
      if (!isSame(value[name], value[other]))
        addError(state, broken('both-given', { values: [name] }), other);
  }
  return isOpen ? mergeDeclared(part, value, { found, respelled }) : Object.fromEntries(found);
}

/** Finds the names under which each field was sent, other than its own, with a value. A name of no field is noted as ignored. */
function findRespelled(
  { fields, spellings, isOpen }: ObjectPart,
  value: JsonObject,
  state: CheckState,
): ReadonlyMap<Field, readonly string[]> | undefined {
  const names = Object.keys(value);
  const declared = fields.filter(({ name }) => Object.hasOwn(value, name)).map(({ name }) => name);
  if (names.length === declared.length) return undefined;
  const respelled = new Map<Field, string[]>();
  for (const name of names) {
    if (declared.includes(name)) continue;
    const field = name.length > MAX_NAME_LENGTH ? undefined : spellings.get(spellingOf(name));
    if (!field) {
      if (!isOpen) addIgnored(state, name);
    } else if (isGiven(field, value[name], state)) {
      const others = respelled.get(field);
      if (others) others.push(name);
      else respelled.set(field, [name]);
    }
  }
  return respelled;
}

/** Lists the names under which the field was sent, its own first. An empty one is listed if a required field has nothing else. */
function namesOf(
  field: Field,
  value: JsonObject,
  { others, state }: { readonly others: readonly string[]; readonly state: CheckState },
): readonly string[] {
  // Inherited names such as `constructor` are not fields.
  if (!Object.hasOwn(value, field.name)) return others;
  if (isGiven(field, value[field.name], state)) return [field.name, ...others];
  return field.isRequired && others.length === 0 ? [field.name] : others;
}

/** Null that is no value of the field counts as absent; in a lenient object so does a blank text. */
function isGiven({ takesNull, takesEmpty }: Field, value: unknown, { isLenient }: CheckState): boolean {
  if (value === null) return takesNull;
  return !isLenient || takesEmpty || typeof value !== 'string' || value.trim() !== '';
}

/** Ids that differ only in capitals count as equal. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string' && isUuid(one))
    return one.toLowerCase() === other.toLowerCase();
  return isDeepStrictEqual(one, other);
}

function addIgnored({ ignored, path }: CheckState, name: string): void {
  if (ignored.size >= MAX_IGNORED_FIELDS) return;
  ignored.add([...path.filter(part => typeof part === 'string'), name].join('.'));
}

interface Declared {
  readonly found: ReadonlyMap<string, unknown>;
  readonly respelled: ReadonlyMap<Field, readonly string[]> | undefined;
}

/** Copies the object only if a value changed: an open object may have many fields. */
function mergeDeclared(
  { fields }: ObjectPart,
  value: JsonObject,
  { found, respelled }: Declared,
): JsonObject {
  const changed = fields.filter(({ name }) => Object.hasOwn(value, name) && found.get(name) !== value[name]);
  const otherNames = respelled ? [...respelled.values()].flat() : [];
  if (changed.length === 0 && otherNames.length === 0) return value;
  const checked = { ...value, ...Object.fromEntries(found) };
  for (const { name } of changed) if (!found.has(name)) delete checked[name];
  for (const name of otherNames) delete checked[name];
  return checked;
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

function tooManyFields(limit: number): BrokenRule {
  return broken('max-items', { limit, message: `must have at most ${limit} fields` });
}

function checkList(
  { item, min, max }: Extract<Part, { kind: 'list' }>,
  list: readonly unknown[],
  state: CheckState,
): unknown {
  if (list.length > max) return addError(state, broken('max-items', { limit: max }));
  if (list.length < min) return addError(state, broken('min-items', { limit: min }));
  const checked: unknown[] = [];
  for (const [at, value] of list.entries()) {
    if (hasEnoughErrors(state)) break;
    checked.push(checkPart(state, at, item, value));
  }
  return checked;
}

/** If only one alternative has the type of the value, reports its errors instead of a general one. */
function checkChoice(
  choice: Shape<unknown>,
  among: readonly Shape<unknown>[],
  value: unknown,
  state: CheckState,
): unknown {
  const candidates = among.filter(shape => isOfKind(shape, value));
  const [only] = candidates;
  if (only && candidates.length === 1) return checkValue(only, value, state);
  for (const shape of candidates) {
    const attempt: CheckState = {
      ...state,
      path: [...state.path],
      errors: [],
      ignored: new Set(state.ignored),
    };
    const checked = checkValue(shape, value, attempt);
    if (attempt.errors.length > 0) continue;
    for (const name of attempt.ignored) state.ignored.add(name);
    return checked;
  }
  return addFormError(choice, state, candidates.length > 0 ? 'format' : 'type');
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

function addError({ path, errors }: CheckState, found: BrokenRule, ...field: string[]): undefined {
  errors.push({ path: pathOf([...path, ...field]), ...found });
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
