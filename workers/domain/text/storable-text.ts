/** Whether PostgreSQL can store the text: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Replaces each such character by U+FFFD. */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The same for nested values and names; returns the same object where nothing is replaced. */
export function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return keepUnchanged(value, value.map(storableValue));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const replaced = entries.map(([name, inner]) => [storableText(name), storableValue(inner)] as const);
  const isSame = replaced.every(
    ([name, inner], at) => name === entries[at]?.[0] && inner === entries[at]?.[1],
  );
  return isSame ? value : Object.fromEntries(replaced);
}

function keepUnchanged(values: readonly unknown[], replaced: readonly unknown[]): readonly unknown[] {
  return replaced.every((each, at) => Object.is(each, values[at])) ? values : replaced;
}
