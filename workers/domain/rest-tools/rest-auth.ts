import { broken, errorsAt, type FieldError, fieldError } from '../../../platform/field-error.ts';
import { headerNameErrorOf, isHeaderValue } from '../header-rules.ts';
import { encode } from './rest-path.ts';
import type { RestRequest } from './rest-request.ts';

/** How a tool signs in; the secret is kept elsewhere. */
export interface RestAuth {
  readonly kind: 'bearer' | 'basic' | 'header' | 'query' | 'none';
  readonly name?: string | undefined;
  readonly user?: string | undefined;
}

export function authErrorsOf({
  kind,
  name,
  user,
  secret,
}: RestAuth & { readonly secret?: string | undefined }): FieldError[] {
  const isNamed = kind === 'header' || kind === 'query';
  const needed = {
    ...(isNamed ? { name } : {}),
    ...(kind === 'basic' ? { user } : {}),
    ...(kind === 'none' ? {} : { secret }),
  };
  const missing = Object.entries(needed).filter(([, value]) => value === undefined);
  if (missing.length > 0) return missing.map(([field]) => fieldError(`auth.${field}`, 'required'));
  const isSendable = kind === 'query' || kind === 'basic' || isHeaderValue(secret ?? '');
  return [
    ...(kind === 'header' ? errorsAt('auth.name', headerNameErrorOf(name ?? '')) : []),
    ...(kind === 'basic' && user?.includes(':')
      ? [fieldError('auth.user', 'format', 'must have no colon')]
      : []),
    ...errorsAt('auth.secret', isSendable ? undefined : broken('characters')),
  ];
}

/** The request with the secret, which wins over an argument of the same name. */
export function authorize(
  request: RestRequest,
  { kind, name = '', user = '' }: RestAuth,
  secret: string,
): RestRequest {
  switch (kind) {
    case 'none':
      return request;
    case 'bearer':
      return withHeader(request, 'authorization', `Bearer ${secret}`);
    case 'basic':
      return withHeader(request, 'authorization', `Basic ${base64Of(`${user}:${secret}`)}`);
    case 'header':
      return withHeader(request, name, secret);
    case 'query':
      return { ...request, url: withField(request.url, name, secret) };
  }
}

function base64Of(text: string): string {
  return Buffer.from(text).toString('base64');
}

function withHeader(request: RestRequest, name: string, value: string): RestRequest {
  const others = Object.entries(request.headers).filter(
    ([other]) => other.toLowerCase() !== name.toLowerCase(),
  );
  return { ...request, headers: { ...Object.fromEntries(others), [name]: value } };
}

function withField(address: string, name: string, value: string): string {
  const url = new URL(address);
  // Deleting a field writes all others anew.
  if (url.searchParams.has(name)) url.searchParams.delete(name);
  const field = `${encode(name)}=${encode(value)}`;
  url.search = url.search === '' ? field : `${url.search}&${field}`;
  return url.href;
}

/** The text without the secret in any form in which it was sent: a server may repeat it, and a model is to know none. */
export function withoutSecret(text: string, { user = '' }: RestAuth, secret: string): string {
  if (secret === '') return text;
  const forms = [base64Of(`${user}:${secret}`), encode(secret), secret];
  return forms.reduce((cleaned, form) => cleaned.replaceAll(form, '***'), text);
}
