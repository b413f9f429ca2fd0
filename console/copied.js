import { make } from './elements.js';

/**
 * Puts a text into the clipboard, and says whether it is there.
 * @param {string} text
 */
export async function copied(text) {
  // A page that is served without TLS has no clipboard of its own.
  if (!navigator.clipboard) return copiedFromField(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copiedFromField(text),
  );
}

/** @param {string} text */
function copiedFromField(text) {
  const focused = document.activeElement;
  const field = make('textarea', { value: text, readOnly: true, className: 'unseen', 'aria-hidden': 'true' });
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
