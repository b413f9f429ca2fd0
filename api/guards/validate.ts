import type { FieldError } from '../../platform/field-error.ts';
import { storableValue } from '../../platform/storable-text.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Shape } from '../../queues/contract/shape.ts';
import type { Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';

/** Returns the body without undeclared fields; throws a 400 that names each invalid field. */
export function validateBody<T>(ctx: Ctx, shape: Shape<T>, body: unknown): T {
  const value = checkShape(shape, body);
  ctx.state.ignoredFields = sizeOf(body) - sizeOf(value);
  return (ctx.state.isStorable ? value : storableValue(value)) as T;
}

/** Returns the body unchanged if it has the shape and names no host, which only the token determines. */
export function validateRecord<T>(shape: Shape<T>, body: unknown): T {
  checkShape(shape, body);
  const present = forbiddenFields.filter(name => Object.hasOwn(body ?? {}, name));
  const fields = present.map(path => ({ path, message: 'must not be sent: the token determines the host' }));
  if (fields.length > 0) refuseFields(fields);
  return (body ?? {}) as T;
}

const forbiddenFields = ['hostId', 'hostSlug'];

function checkShape<T>(shape: Shape<T>, body: unknown): T {
  const { value, errors } = checkBody(shape, body ?? {});
  if (errors.length > 0) refuseFields(errors);
  return value;
}

export function refuseFields(fields: readonly FieldError[]): never {
  throw new RefusalError(failure('body-invalid', { fields }));
}

export function refuseField(path: string, message: string): never {
  refuseFields([{ path, message }]);
}

function sizeOf(value: unknown): number {
  return value && typeof value === 'object' ? Object.keys(value).length : 0;
}
