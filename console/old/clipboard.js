import { make } from './elements.js';

/**
 * Copies a text to the clipboard; returns whether it succeeded.
 * @param {string} text
 */
export async function copyText(text) {
  // Without TLS, browsers offer no clipboard API.
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
