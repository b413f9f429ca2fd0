/** Copies a text to the clipboard; returns whether it succeeded. */
export async function copyText(text: string): Promise<boolean> {
  // Without TLS, browsers offer no clipboard API.
  if (!navigator.clipboard) return copyFromField(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyFromField(text),
  );
}

function copyFromField(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'unseen';
  field.setAttribute('aria-hidden', 'true');
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
