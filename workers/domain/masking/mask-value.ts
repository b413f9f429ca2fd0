import type { Masking } from './masking.ts';

/** Keywords of JSON Schema whose numbers limit a value, and so are never personal. */
const SCHEMA_LIMITS = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);

type Change = (text: string) => string;

/** Masks all texts and numbers of a JSON value, including names of fields. */
export function maskValue(value: unknown, { mask, isOn }: Masking): unknown {
  return isOn ? changeTexts(value, mask) : value;
}

/** Does the same for JSON text; other text is masked as any text. */
export function maskJson(text: string, masking: Masking): string {
  if (!masking.isOn) return text;
  return rewriteJson(text, value => maskValue(value, masking)) ?? masking.mask(text);
}

/** Escapes the values for JSON in text that is no JSON, such as JSON between other words. */
export function unmaskJson(text: string, masking: Masking): string {
  if (!masking.isOn) return text;
  const escape = (value: string) => JSON.stringify(value).slice(1, -1);
  return (
    rewriteJson(text, value => changeTexts(value, written => masking.unmask(written))) ??
    masking.unmask(text, escape)
  );
}

/** Returns undefined for text that is no JSON. Unchanged JSON stays as written. */
function rewriteJson(text: string, rewrite: (value: unknown) => unknown): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const before = JSON.stringify(value);
    const after = JSON.stringify(rewrite(value));
    return before === after ? text : after;
  } catch {
    return undefined;
  }
}

function changeTexts(value: unknown, change: Change, field = ''): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') return SCHEMA_LIMITS.has(field) ? value : changeNumber(value, change);
  if (Array.isArray(value)) return value.map(inner => changeTexts(inner, change));
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    change(name),
    changeTexts(inner, change, name),
  ]);
  return Object.fromEntries(fields);
}

/** A number that is an identifier becomes a text. */
function changeNumber(value: number, change: Change): unknown {
  const written = String(value);
  const changed = change(written);
  return changed === written ? value : changed;
}
