/*
 * Drafts are what people have typed and not sent or saved yet. They are in the session storage of this tab: they survive errors,
 * reloads and the change to another conversation, and end with the session.
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
