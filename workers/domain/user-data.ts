import { isLongerThan } from './is-longer-than.ts';

/** What a caller says of the person: the fields that have a meaning here, and any others for filters and agents. */
export interface UserData {
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly cpf?: string;
  readonly externalId?: string;
  readonly [field: string]: unknown;
}

const DECLARED = new Set(['name', 'email', 'phone', 'cpf', 'externalId']);
/** Of the fields that are not declared, the last so many are remembered: no conversation grows with each turn. */
const MOST_OTHERS = 50;
const LONGEST_OTHER = 1_000;

/** What is known with this turn: a field that is given replaces the one of before, an empty one takes it away. */
export function userDataWith(kept: UserData, given: UserData = {}): UserData {
  return Object.fromEntries(Object.entries({ ...kept, ...given }).filter(([, value]) => !isBlank(value)));
}

/** What later turns are answered with: what filters can read, within bounds. */
export function limitUserData(data: UserData): UserData {
  const fields = Object.entries(data);
  const declared = fields.filter(([name]) => DECLARED.has(name));
  const others = fields.filter(([name, value]) => !DECLARED.has(name) && isRememberable(value));
  return Object.fromEntries([...declared, ...others.slice(-MOST_OTHERS)]);
}

/** Nothing is said by it. */
export function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function isRememberable(value: unknown): boolean {
  const isPlain = (each: unknown) => ['string', 'number', 'boolean'].includes(typeof each);
  const isReadable = Array.isArray(value) ? value.every(isPlain) : isPlain(value);
  return isReadable && !isLongerThan(LONGEST_OTHER, JSON.stringify(value));
}
