/** A JSON object whose fields are not checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Drops fields that are null, at any depth; many programs write null for absent. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(item => withoutNulls(item as unknown)) as T;
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutNulls(inner)])) as T;
}
