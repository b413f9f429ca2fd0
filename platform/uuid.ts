/** The lowest UUID, which no row has. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Whether PostgreSQL accepts the text as a UUID, and prints it in the same form. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
