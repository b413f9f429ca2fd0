import { make } from './elements.js';

/**
 * Puts a text into the clipboard, and says whether it is there.
 * @param {string} text
 */
export async function copyText(text) {
  // A page that is served without TLS has no clipboard of its own.
  if (!navigator.clipboard) return copyFromField(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyFromField(text),
  );
}

/** @param {string} text */
function copyFromField(text) {
  const focused = document.activeElement;
  const field = make('textarea', { value: text, readOnly: true, className: 'unseen', 'aria-hidden': 'true' });
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
