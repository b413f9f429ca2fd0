/** How much a parsed JSON value holds. */
export interface JsonWeight {
  /** Objects, lists, texts, numbers: each counts one. */
  readonly values: number;
  /** About as many as its JSON text has. */
  readonly characters: number;
}

export interface JsonLimits extends JsonWeight {
  /** Levels of objects and lists; a plain value has none. */
  readonly depth: number;
}

const MARKS_OF_A_VALUE = 3;

/**
 * Undefined where it holds more than the limits: it is walked no further than that, and without recursion, so that
 * asking is cheap whatever somebody sent.
 */
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

/** About what it takes in memory. */
export function bytesOf({ values, characters }: JsonWeight): number {
  return 100 * values + 2 * characters;
}
