import { isLongerThan } from '../../text/lines.ts';

/** The caller's data about the end user: known fields, and any others for filters and agents. */
export interface UserData {
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly cpf?: string;
  readonly externalId?: string;
  readonly [field: string]: unknown;
}

const DECLARED = new Set(['name', 'email', 'phone', 'cpf', 'externalId']);
/** Limits other fields that are stored, so that a conversation does not grow with each turn. */
const MAX_UNDECLARED = 50;
const MAX_UNDECLARED_LENGTH = 1_000;

/** Merges the data of this turn: a given field replaces the stored one, an empty one removes it. */
export function mergeUserData(stored: UserData, sent: UserData = {}): UserData {
  return Object.fromEntries(Object.entries({ ...stored, ...sent }).filter(([, value]) => !isBlank(value)));
}

/** Keeps the data that later turns reuse, which filters can read, within bounds. */
export function limitUserData(data: UserData): UserData {
  const fields = Object.entries(data);
  const declared = fields.filter(([name]) => DECLARED.has(name));
  const others = fields.filter(([name, value]) => !DECLARED.has(name) && isRememberable(value));
  return Object.fromEntries([...declared, ...others.slice(-MAX_UNDECLARED)]);
}

export function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function isRememberable(value: unknown): boolean {
  const isPlain = (each: unknown) => ['string', 'number', 'boolean'].includes(typeof each);
  const isReadable = Array.isArray(value) ? value.every(isPlain) : isPlain(value);
  return isReadable && !isLongerThan(MAX_UNDECLARED_LENGTH, JSON.stringify(value));
}
