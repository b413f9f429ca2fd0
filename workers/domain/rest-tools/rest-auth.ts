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

export interface SignIn extends RestAuth {
  readonly secret?: string | undefined;
}

/** As a tool has it: the secrets have these names, in the order of `auth`. */
interface StoredAuth<T extends RestAuth = RestAuth> {
  readonly auth: T | readonly T[];
  readonly secretNames?: readonly string[];
}

const FIRST_NAME = 'secret';

/** With their secrets, which the values have by name. */
export function signInsOf<T extends RestAuth>(
  { auth, secretNames = [FIRST_NAME] }: StoredAuth<T>,
  values: Readonly<Record<string, string>>,
): (T & { readonly secret?: string })[] {
  const listed: readonly T[] = Array.isArray(auth) ? auth : [auth as T];
  return listed.map((each, at) => {
    const secret = values[secretNames[at] ?? ''];
    return { ...each, ...(secret !== undefined && { secret }) };
  });
}

/** One that was there keeps the name of its secret; another gets a name that none of them had, so that `***` finds nothing. */
export function secretNamesOf(sent: readonly RestAuth[], earlier: StoredAuth | undefined): string[] {
  const stored = earlier ? [earlier.auth].flat() : [];
  const names = earlier ? (earlier.secretNames ?? [FIRST_NAME]) : [];
  const isOnly = sent.length === 1 && stored.length === 1;
  const count = sent.length + names.length;
  const all = Array.from({ length: count }, (_, at) => (at === 0 ? FIRST_NAME : `${FIRST_NAME} ${at + 1}`));
  const free = all.filter(name => !names.includes(name));
  const isSame = (one: RestAuth, other: RestAuth) =>
    one.kind === other.kind && placeOf(one) === placeOf(other);
  return sent.map(each => {
    const at = isOnly ? 0 : stored.findIndex(other => isSame(each, other));
    return names[at] ?? free.shift() ?? '';
  });
}

/** A request has one value there. */
export function placeOf({ kind, name = '' }: RestAuth): string {
  if (kind === 'none') return kind;
  if (kind === 'query') return `query ${name}`;
  return `header ${kind === 'header' ? name.toLowerCase() : 'authorization'}`;
}

export function authErrorsOf(sent: readonly SignIn[], pathOf: (at: number) => string): FieldError[] {
  return sent.flatMap((each, at) => {
    const isTwice = sent.slice(0, at).some(other => placeOf(other) === placeOf(each));
    const field = isNamed(each) ? 'name' : 'kind';
    const errors = isTwice ? [fieldError(field, 'twice', 'must not be sent twice')] : errorsIn(each);
    return errors.map(error => ({ ...error, path: `${pathOf(at)}.${error.path}` }));
  });
}

function isNamed({ kind }: RestAuth): boolean {
  return kind === 'header' || kind === 'query';
}

function errorsIn({ kind, name, user, secret }: SignIn): FieldError[] {
  const needed = {
    ...(isNamed({ kind }) ? { name } : {}),
    ...(kind === 'basic' ? { user } : {}),
    ...(kind === 'none' ? {} : { secret }),
  };
  const missing = Object.entries(needed).filter(([, value]) => value === undefined);
  if (missing.length > 0) return missing.map(([field]) => fieldError(field, 'required'));
  const isSendable = kind === 'query' || kind === 'basic' || isHeaderValue(secret ?? '');
  return [
    ...(kind === 'header' ? errorsAt('name', headerNameErrorOf(name ?? '')) : []),
    ...(kind === 'basic' && user?.includes(':') ? [fieldError('user', 'format', 'must have no colon')] : []),
    ...errorsAt('secret', isSendable ? undefined : broken('characters')),
  ];
}

/** The request with its secrets, which win over arguments of the same name. */
export function authorize(request: RestRequest, signIns: readonly SignIn[]): RestRequest {
  return signIns.reduce(withSecret, request);
}

function withSecret(request: RestRequest, { kind, name = '', user = '', secret = '' }: SignIn): RestRequest {
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

/**
 * The text without the secrets in any form in which they were sent: a server may repeat them, and a model is to know none. The
 * longest goes first: another may be a part of it.
 */
export function withoutSecrets(text: string, signIns: readonly SignIn[]): string {
  const forms = signIns.flatMap(({ user = '', secret }) =>
    secret ? [base64Of(`${user}:${secret}`), encode(secret), secret] : [],
  );
  const inOrder = forms.toSorted((one, other) => other.length - one.length);
  return inOrder.reduce((cleaned, form) => cleaned.replaceAll(form, '***'), text);
}
