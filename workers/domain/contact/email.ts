import { isLongerThan } from '../text/is-longer-than.ts';

const MAX_EMAIL_LENGTH = 320;

/** Whether this can be an e-mail address; surrounding white space is ignored. */
export function isEmail(text: string): boolean {
  const email = text.trim();
  return !isLongerThan(MAX_EMAIL_LENGTH, email) && /^[^\s@]+@[^\s@]+$/.test(email);
}
