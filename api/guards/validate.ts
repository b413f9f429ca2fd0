import { type FieldError, fieldError } from '../../platform/field-error.ts';
import { storableText, storableValue } from '../../platform/storable-text.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { failure, fieldFailure } from '../../queues/contract/failure.ts';
import type { Shape } from '../../queues/contract/shape.ts';
import type { Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';

/**
 * Returns the body with its fields under their own names. A header lists undeclared fields, which are dropped; a 400 names each
 * invalid field.
 */
export function validateBody<T>(ctx: Ctx, shape: Shape<T>, body: unknown): T {
  const { value, errors, ignored } = checkBody(shape, body ?? {}, { mayRespell: true });
  nameIgnored(ctx, ignored);
  if (errors.length > 0) refuseFields(errors);
  return (ctx.state.isStorable ? value : storableValue(value)) as T;
}

/** Of one name, escaped: ten of 98 Chinese characters were a header of 9 kB, more than nginx takes. With these it has 2 kB. */
const MAX_NAMED_LENGTH = 190;
const ELLIPSIS = '%E2%80%A6';

/** Strangers choose these names, and the header is a list of tokens: other characters are escaped as in a URL. */
function nameIgnored(ctx: Ctx, names: readonly string[]): void {
  if (names.length === 0) return;
  const tokens = names.map(tokenOf);
  ctx.state.ignoredFields = tokens;
  ctx.set(IGNORED_FIELDS_HEADER, tokens.join(', '));
}

function tokenOf(name: string): string {
  let token = '';
  for (const character of storableText(name.slice(0, MAX_NAMED_LENGTH + 1) || '""')) {
    const escaped = encodeURIComponent(character).replaceAll(/[()]/g, escapeCharacter);
    if (token.length + escaped.length > MAX_NAMED_LENGTH) return `${token}${ELLIPSIS}`;
    token += escaped;
  }
  return token;
}

const escapeCharacter = (character: string) => `%${character.charCodeAt(0).toString(16)}`;

export const IGNORED_FIELDS_HEADER = 'Parley-Ignored-Fields';

/** Returns the body unchanged if it has the shape and names no host: only the token decides the host. */
export function validateRecord<T>(shape: Shape<T>, body: unknown): T {
  const { errors } = checkBody(shape, body ?? {});
  if (errors.length > 0) refuseFields(errors);
  const present = forbiddenFields.filter(name => Object.hasOwn(body ?? {}, name));
  const message = 'must not be sent: the token determines the host';
  const fields = present.map(path => fieldError(path, 'unknown-field', message));
  if (fields.length > 0) refuseFields(fields);
  return (body ?? {}) as T;
}

const forbiddenFields = ['hostId', 'hostSlug'];

export function refuseFields(fields: readonly FieldError[]): never {
  throw new RefusalError(failure('body-invalid', { fields }));
}

export function refuseField(...wrong: Parameters<typeof fieldError>): never {
  throw new RefusalError(fieldFailure(...wrong));
}
