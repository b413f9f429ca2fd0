import { type JsonObject } from '../../../platform/json-object.ts';

/*
 * Checks references and patterns of a schema without compiling it: it is untrusted, and compiling may take seconds. All of it
 * is linear in the size of the schema.
 */

/** Returns the references that lead nowhere, and the invalid patterns. */
export function wrongTextsIn(schema: JsonObject): { references: string[]; patterns: string[] } {
  const { references, patterns } = textsIn(schema);
  return {
    references: references.filter(each => referenceTarget(schema, each) === undefined),
    patterns: patterns.filter(each => !isPattern(each)),
  };
}

/** Below `properties` these keywords may be names of fields, whose values are no strings. */
function textsIn(schema: JsonObject): { references: string[]; patterns: string[] } {
  const references: string[] = [];
  const patterns: string[] = [];
  const look = (value: object): void => {
    for (const [key, inner] of Object.entries(value)) {
      if (inner !== null && typeof inner === 'object') look(inner as object);
      if (typeof inner !== 'string') continue;
      if (key === '$ref' || key === '$dynamicRef') references.push(inner);
      else if (key === 'pattern') patterns.push(inner);
    }
  };
  look(schema);
  return { references, patterns };
}

/** Longer patterns, and those with Unicode classes, take milliseconds each to parse: they are left to the provider. */
const MAX_PARSED_PATTERN = 200;

function isPattern(text: string): boolean {
  return isLongPattern(text) || isReadPattern(text);
}

function isLongPattern(text: string): boolean {
  return text.length > MAX_PARSED_PATTERN || /\\p/i.test(text);
}

/** Whether it is short, and parsed as a pattern; it is never executed. */
export function isReadPattern(text: string): boolean {
  if (isLongPattern(text)) return false;
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Follows `#`, or `#` with a JSON pointer; any other reference leads nowhere. */
export function referenceTarget(schema: JsonObject, reference: string): unknown {
  const [before, ...steps] = reference.split('/');
  if (before !== '#') return undefined;
  let at: unknown = schema;
  for (const step of steps) {
    const name = decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined;
    at = (at as JsonObject)[name];
  }
  return at;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
