import { isLongerThan } from '../text/is-longer-than.ts';

const LONGEST_EMAIL = 320;

/** Whether this can be an e-mail address; surrounding white space is ignored. */
export function isEmail(given: string): boolean {
  const email = given.trim();
  return !isLongerThan(LONGEST_EMAIL, email) && /^[^\s@]+@[^\s@]+$/.test(email);
}
