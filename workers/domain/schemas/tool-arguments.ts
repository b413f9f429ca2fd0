import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { CUT_OFF, NOT_AN_OBJECT, NOT_JSON, TOO_DEEP } from '../prompts/tool-texts.ts';

const MAX_DEPTH = 32;

/**
 * The arguments of the model, if they are a JSON object that can be stored; else the error to report to the model.
 */
export function toolArgumentsOf(text: string): { args: JsonObject } | { error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    return { error: NOT_JSON };
  }
  if (!isJsonObject(value)) return { error: NOT_AN_OBJECT };
  if (isDeeper(value, MAX_DEPTH)) return { error: TOO_DEEP };
  return { args: scrubValue(value) as JsonObject };
}

/** Without NUL and lone surrogates. */
function scrubText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** External text for the model, truncated. */
export function truncateForModel(text: string, most: number): string {
  return text.length <= most ? scrubText(text) : `${scrubText(text.slice(0, most))}\n${CUT_OFF}`;
}

function scrubValue(value: unknown): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (Array.isArray(value)) return value.map(scrubValue);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [scrubText(key), scrubValue(inner)]));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1));
}
