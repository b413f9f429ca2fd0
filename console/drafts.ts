/*
 * What people have typed and not sent or saved yet, in the session storage of this tab: it survives errors, reloads and the
 * change to another conversation, and ends with the session.
 */

const PREFIX = 'parley-draft:';

export function readDraft(key: string): string | undefined {
  return sessionStorage.getItem(PREFIX + key) ?? undefined;
}

export function storeDraft(key: string, text: string): void {
  try {
    sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // The storage is full: the text is still in its field.
  }
}

export function dropDraft(key: string): void {
  sessionStorage.removeItem(PREFIX + key);
}
