/** A JSON object whose fields are not checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Drops fields that are null, at any depth but inside the named ones; many programs write null for absent. In `values`, a null is
 * itself a value.
 */
export function withoutNulls<T>(
  value: T,
  kept: { readonly values?: readonly string[]; readonly lists?: readonly string[] } = {},
): T {
  const { values = [], lists = [] } = kept;
  if (Array.isArray(value)) return value.map(item => withoutNulls(item as unknown, kept)) as T;
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value)
    .filter(([name, inner]) => inner !== null || values.includes(name))
    .map(([name, inner]) => [
      name,
      values.includes(name) || lists.includes(name) ? inner : withoutNulls(inner, kept),
    ]);
  return Object.fromEntries(fields) as T;
}
