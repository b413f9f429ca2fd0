import type Joi from 'joi';
import { type FieldError, failure } from '../queues/failure.ts';
import type { Shape } from '../queues/shape.ts';
import type { Ctx } from './context.ts';
import { Refused } from './envelope.ts';

const MOST_NAMED = 20;

const options: Joi.ValidationOptions = {
  abortEarly: false,
  convert: false,
  stripUnknown: { objects: true },
  errors: { label: false },
  // By default this one quotes the value.
  messages: { 'string.pattern.base': 'has the wrong form', 'string.guid': 'must be a UUID' },
};

/** The body without the fields that nobody declared; throws a 400 that names each wrong one. */
export function validated<T>(ctx: Ctx, shape: Shape<T>, body: unknown): T {
  const { value, error } = shape.validate(body ?? {}, options);
  if (error) throw new Refused(failure('body-invalid', { fields: fieldErrorsOf(error) }));
  ctx.state.ignoredFields = sizeOf(body) - sizeOf(value);
  return storable(value) as T;
}

/** A body to the letter, as long as it has the shape and names no host: that is known from the token alone. */
export function recordIn<T>(shape: Shape<T>, body: unknown): T {
  const { error } = shape.validate(body ?? {}, { ...options, stripUnknown: false });
  if (error) throw new Refused(failure('body-invalid', { fields: fieldErrorsOf(error) }));
  const named = neverSent.filter(name => Object.hasOwn(body ?? {}, name));
  const fields = named.map(path => ({ path, message: 'is never sent: the token says which host it is' }));
  if (fields.length > 0) throw new Refused(failure('body-invalid', { fields }));
  return (body ?? {}) as T;
}

const neverSent = ['hostId', 'hostSlug'];

function fieldErrorsOf(error: Joi.ValidationError): FieldError[] {
  // A field may be wrong in more ways than one; the first says enough.
  const named = new Map<string, FieldError>();
  for (const { path, message } of error.details) {
    const at = pathOf(path);
    if (!named.has(at)) named.set(at, { path: at, message });
  }
  return [...named.values()].slice(0, MOST_NAMED);
}

/** As one would write it in code: chainJson[3].type */
function pathOf(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at > 0 ? `.${part}` : part))
    .join('');
}

function sizeOf(value: unknown): number {
  return value && typeof value === 'object' ? Object.keys(value).length : 0;
}

/** PostgreSQL takes neither NUL nor half of a surrogate pair. */
function storable(value: unknown): unknown {
  if (typeof value === 'string')
    return isStorable(value) ? value : value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(storable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]));
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
