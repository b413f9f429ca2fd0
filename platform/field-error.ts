/** In words, also for a date that is in no calendar, which only its reader sees. */
export const DATE_TIME_FORM = 'a date or a date-time in ISO 8601, such as 2026-03-02 or 2026-03-02T14:30:00Z';

/**
 * Every rule that a field can break, with its usual message: the error has `{limit}` and `{values}`; `{all}` is these
 * with an `and`. A client goes by the rule: a message may say more in one place than in another.
 */
export const rules = {
  required: 'is required',
  'not-empty': 'is not allowed to be empty',
  type: 'must be of another type',
  integer: 'must be a whole number',
  'one-of': 'must be one of {values}',
  format: 'must have another form',
  date: `must be ${DATE_TIME_FORM}`,
  base64: 'must be base64',
  'min-length': 'must have at least {limit} characters',
  'max-length': 'must have at most {limit} characters',
  min: 'must be at least {limit}',
  max: 'must be at most {limit}',
  'min-items': 'must contain at least {limit} items',
  'max-items': 'must contain at most {limit} items',
  'min-digits': 'must have at least {limit} digits',
  'too-large': 'is too large',
  'one-required': 'one of {values} is required',
  'exactly-one': 'exactly one of {all} is required',
  'both-given': 'must equal {values}',
  'only-with': 'needs {values}',
  'not-allowed': 'cannot be set',
  'unknown-field': 'must not be sent',
  unknown: 'names what is not there',
  taken: 'is taken',
  after: 'must be after {values}',
  'max-years': 'must be at most {limit} years after {values}',
  url: 'must be a URL',
  'url-part': 'must not hold a user name or password',
  'url-port': 'must have port 80, 443 or one above 1023',
  'url-origin': 'must have the origin of an enabled webhook of the host',
  'private-address':
    'must not lead to a private or local address, unless the operator allows that one (EGRESS_ALLOW)',
  'command-not-allowed': 'is not among the commands that the operator allows',
  twice: 'must not have a header twice',
  'header-name': 'has an invalid header name',
  characters: 'has characters that no header can have',
  'send-again': 'must be sent again: the URL has another origin',
  'nothing-to-keep': 'has no value to keep',
  mask: 'must be the whole value, or *** alone to keep it',
  cursor: 'is no cursor of this list',
  expired: 'has expired: begin the list again',
  schema: 'is wrong',
  'front-matter': 'begins with a head that cannot be read',
  unsupported: 'is of a kind that the assistant does not take',
  'wrong-kind': 'is not of the kind that it should be',
  unreachable: 'cannot be fetched',
  unreadable: 'cannot be read',
  'without-words': 'is a recording without words',
  'model-refused': 'was refused by the model',
  'several-records': 'holds several records: send it again',
  'no-mapping': 'No mapping agreed',
  'service-error': 'an internal error',
  'given-up': 'was begun {limit} times, and its worker came to no end',
} as const;

export type Rule = keyof typeof rules;

/** A rule that is broken, with the limit or the values that it has here. Messages never contain the value that was sent. */
export interface BrokenRule {
  readonly rule: Rule;
  readonly message: string;
  readonly limit?: number;
  readonly values?: string[];
}

export interface FieldError extends BrokenRule {
  /** A field name or a JSON pointer; '' is the whole object. */
  readonly path: string;
}

const listed = new Intl.ListFormat('en-GB');

/** Facts of a broken rule at this place, or only a message that says more than the usual one. */
type Known = string | Partial<Omit<BrokenRule, 'rule'>>;

export function broken(rule: Rule, said: Known = {}): BrokenRule {
  const known = typeof said === 'string' ? { message: said } : said;
  const { limit, values = [] } = known;
  const message = rules[rule]
    .replace('{limit}', String(limit))
    .replace('{values}', values.join(', '))
    .replace('{all}', listed.format(values));
  return { message, ...known, rule };
}

export function fieldError(path: string, rule: Rule, known?: Known): FieldError {
  return { path, ...broken(rule, known) };
}

/** The errors of this field: one, or none. */
export function errorsAt(path: string, found: BrokenRule | undefined): FieldError[] {
  return found ? [{ path, ...found }] : [];
}

/** Of these fields those that have no value, which all need one. */
export function missingErrorsOf(fields: Readonly<Record<string, unknown>>): FieldError[] {
  const missing = Object.entries(fields).filter(([, value]) => value === undefined);
  return missing.map(([path]) => fieldError(path, 'required'));
}

/** At most this many field errors are listed, in responses, logs and answers to a model. */
export const MAX_FIELD_ERRORS = 20;

export function limitFieldErrors(errors: readonly FieldError[]): FieldError[] {
  return errors.slice(0, MAX_FIELD_ERRORS);
}

/** An invalid setting: a restart does not help, an operator must change it. */
export class SettingError extends Error {}

/** Exit code for an invalid setting: EX_CONFIG of sysexits.h. */
export const WRONG_SETTING_CODE = 78;
