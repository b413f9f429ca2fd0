/*
 * What people have typed and not sent or saved yet, in the session storage of this tab: it survives errors, reloads and the
 * change to another conversation, and ends with the session.
 */

const PREFIX = 'parley-draft:';

/** @param {string} key @returns {string | undefined} */
export function readDraft(key) {
  return sessionStorage.getItem(PREFIX + key) ?? undefined;
}

/** @param {string} key @param {string} text */
export function storeDraft(key, text) {
  try {
    sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // The storage is full: the text is still in its field.
  }
}

/** @param {string} key */
export function dropDraft(key) {
  sessionStorage.removeItem(PREFIX + key);
}

/**
 * Restores what was typed, and stores what is typed from now on. A text that equals the saved one is no draft.
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 * @param {string} key
 * @param {string} [saved]
 */
export function keepDraft(field, key, saved = '') {
  field.value = readDraft(key) ?? saved;
  field.addEventListener('input', () => {
    if (field.value === saved) dropDraft(key);
    else storeDraft(key, field.value);
  });
}
