import type { JsonObject } from '../platform/json-object.ts';
import { checkBody } from '../queues/contract/check-body.ts';
import { type FieldError, failure } from '../queues/contract/failure.ts';
import type { Shape } from '../queues/contract/shape.ts';
import type { Ctx } from './context.ts';
import { RefusalError } from './envelope.ts';

/** Returns the body without undeclared fields; throws a 400 that names each invalid field. */
export function validateBody<T>(ctx: Ctx, shape: Shape<T>, body: unknown): T {
  const value = checkShape(shape, body);
  ctx.state.ignoredFields = sizeOf(body) - sizeOf(value);
  return (ctx.state.isStorable ? value : toStorable(value)) as T;
}

/** Returns the body unchanged if it has the shape and names no host, which only the token determines. */
export function validateRecord<T>(shape: Shape<T>, body: unknown): T {
  checkShape(shape, body);
  const present = forbiddenFields.filter(name => Object.hasOwn(body ?? {}, name));
  const fields = present.map(path => ({ path, message: 'must not be sent: the token determines the host' }));
  if (fields.length > 0) refuse(fields);
  return (body ?? {}) as T;
}

const forbiddenFields = ['hostId', 'hostSlug'];

function checkShape<T>(shape: Shape<T>, body: unknown): T {
  const { value, errors } = checkBody(shape, body ?? {});
  if (errors.length > 0) refuse(errors);
  return value;
}

function refuse(fields: readonly FieldError[]): never {
  throw new RefusalError(failure('body-invalid', { fields }));
}

function sizeOf(value: unknown): number {
  return value && typeof value === 'object' ? Object.keys(value).length : 0;
}

/** Replaces NUL and lone surrogates, which PostgreSQL rejects. Copies only what changes, because a body may be large. */
function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (Array.isArray(value)) return toStorableList(value);
  return value !== null && typeof value === 'object' ? toStorableObject(value as JsonObject) : value;
}

function toStorableText(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function toStorableList(list: unknown[]): unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const storable = toStorable(list[at]);
    if (storable !== list[at]) (copy ??= [...list])[at] = storable;
  }
  return copy ?? list;
}

function toStorableObject(object: JsonObject): JsonObject {
  let isChanged = false;
  const entries: [string, unknown][] = [];
  for (const name of Object.keys(object)) {
    const entry: [string, unknown] = [toStorableText(name), toStorable(object[name])];
    isChanged ||= entry[0] !== name || entry[1] !== object[name];
    entries.push(entry);
  }
  return isChanged ? Object.fromEntries(entries) : object;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
