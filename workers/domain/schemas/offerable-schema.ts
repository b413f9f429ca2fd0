import { type JsonObject } from '../../../platform/json-object.ts';
import { isSchema } from './schema-errors.ts';
import { wrongTextsIn } from './schema-texts.ts';

/** Keywords that providers reject at the top level of a function's parameters. */
const unofferable = ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'];

/**
 * Whether a function with arguments of this schema can be offered to a model. The schema is validated and its
 * references are resolved, but it is not compiled: it is untrusted.
 */
export function isOfferableSchema(schema: JsonObject): boolean {
  if (unofferable.some(keyword => keyword in schema)) return false;
  if (schema['type'] !== 'object' || !isSchema(schema)) return false;
  const { references, patterns } = wrongTextsIn(schema);
  return references.length === 0 && patterns.length === 0;
}
