import type { JsonObject } from './json-object.ts';

/** Whether PostgreSQL can store the text: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Replaces each such character by U+FFFD. */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The same for nested values and names. Copies only changed parts, because a value may be large. */
export function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return storableList(value);
  return value !== null && typeof value === 'object' ? storableObject(value as JsonObject) : value;
}

function storableList(list: unknown[]): unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const kept = storableValue(list[at]);
    if (!Object.is(kept, list[at])) (copy ??= [...list])[at] = kept;
  }
  return copy ?? list;
}

function storableObject(object: JsonObject): JsonObject {
  let isChanged = false;
  const entries: [string, unknown][] = [];
  for (const name of Object.keys(object)) {
    const entry: [string, unknown] = [storableText(name), storableValue(object[name])];
    isChanged ||= entry[0] !== name || !Object.is(entry[1], object[name]);
    entries.push(entry);
  }
  return isChanged ? Object.fromEntries(entries) : object;
}
