/*
 * The size of JSON from strangers is measured before it is checked, which takes 1 ms at a limit of 1,000 values. A list of
 * 20,000 empty objects from a tool server, 60 kB, blocked a worker for 4 s in the checks of the MCP library, and the schemas of
 * one tool list took 170 s of processor time and 2 GB.
 */

export interface JsonWeight {
  /** Number of objects, arrays, strings and other values. */
  readonly values: number;
  /** Approximate length of its JSON text. */
  readonly characters: number;
}

export interface JsonLimits extends JsonWeight {
  /** Nesting of objects and arrays; a plain value has 0. */
  readonly depth: number;
}

const MARKS_OF_A_VALUE = 3;

/** Returns undefined if the value exceeds the limits. The walk stops there and does not recurse, so it is cheap for any input. */
export function jsonWeightOf(value: unknown, limits: JsonLimits): JsonWeight | undefined {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  let values = 0;
  let characters = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    values += 1;
    characters += MARKS_OF_A_VALUE + (typeof next.value === 'string' ? next.value.length : 0);
    if (next.value !== null && typeof next.value === 'object') {
      const depth = next.depth + 1;
      const inner = Object.values(next.value);
      if (depth > limits.depth || values + waiting.length + inner.length > limits.values) return undefined;
      if (!Array.isArray(next.value)) characters += Object.keys(next.value).join('').length;
      for (const each of inner) waiting.push({ value: each, depth });
    }
    if (values > limits.values || characters > limits.characters) return undefined;
  }
  return { values, characters };
}

export function bytesOf({ values, characters }: JsonWeight): number {
  return 100 * values + 2 * characters;
}
