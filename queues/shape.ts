import Joi from 'joi';

declare const carried: unique symbol;

/** A Joi schema that carries the type of what it lets through, so that a shape is written once. */
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

const LONGEST_NAME = 200;

/** A string of at least one character, unless `min` says otherwise. */
export function text(limits: { min?: number; max?: number } = {}): Shape<string> {
  const { min = 1, max = LONGEST_NAME } = limits;
  const schema = Joi.string().max(max);
  return min === 0 ? schema.allow('') : schema.min(min);
}

export function uuid(): Shape<string> {
  return Joi.string().guid({ separator: '-', wrapper: false });
}

/** `uuid()` for answers whose spec allows '' where there is no such object. */
export function uuidOrEmpty(): Shape<string> {
  return either(uuid(), oneOf(''));
}

export function matching(pattern: RegExp): Shape<string> {
  return Joi.string().pattern(pattern);
}

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return Joi.string().valid(...values);
}

/** Of a year with four digits: ISO 8601 knows others, the database not all of them. */
export function dateTime(): Shape<string> {
  return Joi.string()
    .isoDate()
    .pattern(/^[0-9]{4}/);
}

export function integer(limits: { min?: number; max?: number } = {}): Shape<number> {
  return Joi.number()
    .integer()
    .min(limits.min ?? Number.MIN_SAFE_INTEGER)
    .max(limits.max ?? Number.MAX_SAFE_INTEGER);
}

export function number(limits: { min: number; max: number }): Shape<number> {
  return Joi.number().min(limits.min).max(limits.max);
}

export function flag(): Shape<boolean> {
  return Joi.boolean();
}

export function list<T>(item: Shape<T>, limits: { min?: number; max?: number } = {}): Shape<T[]> {
  return Joi.array()
    .items(item)
    .min(limits.min ?? 0)
    .max(limits.max ?? 10_000);
}

/** Any JSON object; its fields are nobody's business but the reader's. */
export function freeObject(): Shape<JsonObject> {
  return Joi.object().unknown(true);
}

/** An object whose fields have any names, at most `max` of them, and all the same shape. */
export function mapOf<T>(value: Shape<T>, { max }: { max: number }): Shape<Record<string, T>> {
  return Joi.object().pattern(Joi.string(), value).max(max);
}

export function anything(): Shape<unknown> {
  return Joi.any();
}

export function object<F extends Fields>(fields: F): Shape<Flat<ObjectOf<F>>> {
  const keys = Object.entries(fields).map(([name, shape]) => [
    name,
    isOptional(shape) ? shape : shape.required(),
  ]);
  return Joi.object(Object.fromEntries(keys));
}

/** Fields that are named here keep their shape, all others pass as they are. */
export function openObject<F extends Fields>(fields: F): Shape<Flat<ObjectOf<F>> & JsonObject> {
  return (object(fields) as unknown as Joi.ObjectSchema).unknown(true);
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return Object.assign(shape.optional(), { optionalKey: true as const });
}

export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return Joi.alternatives(first, second);
}

/** One of it alone, or several in a list. What is wrong is named as if there were no choice. */
export function eitherOneOrList<T>(item: Shape<T>, { max }: { max: number }): Shape<T | T[]> {
  return Joi.alternatives().conditional(Joi.array(), {
    // oxlint-disable-next-line unicorn/no-thenable
    then: list(item, { min: 1, max }),
    otherwise: item,
  });
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return Joi.alternatives(shape, Joi.valid(null));
}

function isOptional(shape: Joi.Schema): boolean {
  return 'optionalKey' in shape;
}
