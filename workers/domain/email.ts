const LONGEST_EMAIL = 320;

/** Whether this can be an e-mail address at all; white space around it is no part of it. */
export function isEmail(given: string): boolean {
  const email = given.trim();
  return email.length <= LONGEST_EMAIL && /^[^\s@]+@[^\s@]+$/.test(email);
}
