import { isLongerThan } from './is-longer-than.ts';

const MAX_EMAIL_LENGTH = 320;

/** Whether this can be an e-mail address; surrounding white space is ignored. */
export function isEmail(given: string): boolean {
  const email = given.trim();
  return !isLongerThan(MAX_EMAIL_LENGTH, email) && /^[^\s@]+@[^\s@]+$/.test(email);
}
