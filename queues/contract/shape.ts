import Joi from 'joi';

/*
 * Each shape is written once and says three things: its type, its JSON Schema (which Joi gives), and how a value of it
 * is checked. What holds others (objects, lists, maps, choices) is checked by `check-body.ts`, which looks at a length
 * before it looks at what is in it; Joi judges single values alone.
 */

declare const carried: unique symbol;

/** A Joi schema that carries the type of what it lets through. */
export type Shape<T> = Joi.Schema & { readonly [carried]?: T };
type OptionalShape<T> = Shape<T> & { readonly optionalKey: true };

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

type Fields = Record<string, Shape<unknown>>;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never;
}[keyof F];
type ObjectOf<F extends Fields> = { [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
  [K in OptionalKeys<F>]?: TypeOf<F[K]>;
};
type Flat<T> = { [K in keyof T]: T[K] };

export type JsonObject = { [key: string]: unknown };

/** What a shape is made of. */
export type Part =
  /** A single value: what `isRight` does not see at a glance, the schema judges. */
  | { readonly kind: 'value'; readonly isRight: (value: unknown) => boolean }
  | { readonly kind: 'list'; readonly item: Shape<unknown>; readonly min: number; readonly max: number }
  | { readonly kind: 'map'; readonly value: Shape<unknown>; readonly max: number }
  /** Fields that nobody declared are dropped, or kept where it is open, and then there are at most `max` in all. */
  | {
      readonly kind: 'object';
      readonly fields: readonly Field[];
      readonly isOpen: boolean;
      readonly max?: number | undefined;
    }
  | { readonly kind: 'choice'; readonly among: readonly Shape<unknown>[] };

export interface Field {
  readonly name: string;
  readonly shape: Shape<unknown>;
  readonly isRequired: boolean;
  /** Null stands for a field that is not given, but where null is one of its values. */
  readonly takesNull: boolean;
}

const parts = new WeakMap<object, Part>();

function defineShape<S extends Shape<unknown>>(schema: S, part: Part): S {
  parts.set(schema, part);
  return schema;
}

export function partOf(shape: Shape<unknown>): Part {
  const part = parts.get(shape);
  if (!part) throw new Error('a shape is made by the functions of queues/contract/shape.ts alone');
  return part;
}

const LONGEST_NAME = 200;

const MOST_ANSWERED = 10_000;

/** A string of at least one character, unless `min` says otherwise. Characters are code points, as in JSON Schema. */
export function text(limits: { min?: number; max?: number } = {}): Shape<string> {
  const { min = 1, max = LONGEST_NAME } = limits;
  const schema = Joi.string().max(max);
  const isRight = (value: unknown) =>
    typeof value === 'string' && value.length >= min && isWithin(value, max);
  return defineShape(min === 0 ? schema.allow('') : schema.min(min), { kind: 'value', isRight });
}

/** Counts only where the number of UTF-16 units, which is at hand, does not tell. */
function isWithin(value: string, max: number): boolean {
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  let count = 0;
  for (const _character of value) count += 1;
  return count <= max;
}

export function uuid(): Shape<string> {
  return defineJoiShape(Joi.string().guid({ separator: '-', wrapper: false }));
}

/** `uuid()` for answers whose spec allows '' where there is no such object. */
export function uuidOrEmpty(): Shape<string> {
  return either(uuid(), oneOf(''));
}

export function patternText(pattern: RegExp): Shape<string> {
  return defineJoiShape(Joi.string().pattern(pattern));
}

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  const isRight = (value: unknown) => values.includes(value as T);
  return defineShape(Joi.string().valid(...values), { kind: 'value', isRight });
}

/** Of a year with four digits: ISO 8601 knows others, the database not all of them. */
export function dateTime(): Shape<string> {
  return defineJoiShape(
    Joi.string()
      .isoDate()
      .pattern(/^[0-9]{4}/),
  );
}

export function integer(limits: { min?: number; max?: number } = {}): Shape<number> {
  return defineJoiShape(
    Joi.number()
      .integer()
      .min(limits.min ?? Number.MIN_SAFE_INTEGER)
      .max(limits.max ?? Number.MAX_SAFE_INTEGER),
  );
}

export function number(limits: { min: number; max: number }): Shape<number> {
  return defineJoiShape(Joi.number().min(limits.min).max(limits.max));
}

export function flag(): Shape<boolean> {
  return defineShape(Joi.boolean(), { kind: 'value', isRight: value => typeof value === 'boolean' });
}

/** A list always says how long it may be: one that is longer is refused before anybody looks at its items. */
export function list<T>(item: Shape<T>, { min = 0, max }: { min?: number; max: number }): Shape<T[]> {
  return defineShape(Joi.array().items(item).min(min).max(max), { kind: 'list', item, min, max });
}

/** A list that is answered and never sent. */
export function answerList<T>(item: Shape<T>): Shape<T[]> {
  return list(item, { max: MOST_ANSWERED });
}

/** Any JSON object; its fields are nobody's business but the reader's. */
export function freeObject(): Shape<JsonObject> {
  return defineShape(Joi.object().unknown(true), { kind: 'value', isRight: isObject });
}

/** An object whose fields have any names, at most `max` of them, and all the same shape. */
export function mapOf<T>(value: Shape<T>, { max }: { max: number }): Shape<Record<string, T>> {
  return defineShape(Joi.object().pattern(Joi.string(), value).max(max), { kind: 'map', value, max });
}

export function anyValue(): Shape<unknown> {
  return defineShape(Joi.any(), { kind: 'value', isRight: () => true });
}

/** The same shape, with what it means: the API page shows it, and no field may go without. */
export function field<S extends Shape<unknown>>(meaning: string, shape: S): S {
  const described = shape.description(meaning) as S;
  return defineShape(
    isOptional(shape) ? Object.assign(described, { optionalKey: true as const }) : described,
    partOf(shape),
  );
}

export function object<F extends Fields>(fields: F): Shape<Flat<ObjectOf<F>>> {
  const keys = Object.entries(fields).map(([name, shape]) => [
    name,
    isOptional(shape) ? shape : shape.required(),
  ]);
  const part = { kind: 'object', fields: fieldsOf(fields), isOpen: false } as const;
  return defineShape(Joi.object(Object.fromEntries(keys)), part);
}

/** Fields that are named here keep their shape, all others pass as they are, at most `max` in all. */
export function openObject<F extends Fields>(
  fields: F,
  { max }: { max?: number } = {},
): Shape<Flat<ObjectOf<F>> & JsonObject> {
  const open = (object(fields) as unknown as Joi.ObjectSchema).unknown(true);
  const schema = max === undefined ? open : open.max(max);
  return defineShape(schema, { kind: 'object', fields: fieldsOf(fields), isOpen: true, max });
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return defineShape(Object.assign(shape.optional(), { optionalKey: true as const }), partOf(shape));
}

export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return defineShape(Joi.alternatives(first, second), { kind: 'choice', among: [first, second] });
}

/** One of it alone, or several in a list. What is wrong is named as if there were no choice. */
export function eitherOneOrList<T>(item: Shape<T>, { max }: { max: number }): Shape<T | T[]> {
  return either(item, list(item, { min: 1, max }));
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const none = defineShape(Joi.valid(null), { kind: 'value', isRight: value => value === null });
  return defineShape(Joi.alternatives(shape, none), { kind: 'choice', among: [shape, none] });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function defineJoiShape<S extends Joi.Schema>(schema: S): S {
  return defineShape(schema, { kind: 'value', isRight: () => false });
}

function fieldsOf(fields: Fields): Field[] {
  return Object.entries(fields).map(([name, shape]) => ({
    name,
    shape,
    isRequired: !isOptional(shape),
    takesNull: shape.validate(null).error === undefined,
  }));
}

function isOptional(shape: Joi.Schema): boolean {
  return 'optionalKey' in shape;
}
