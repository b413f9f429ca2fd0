import { foldText } from '../text/fold.ts';
import { type DialogueDigest, personalValue } from './dialogue-digest.ts';
import { chooseType, flattenSchema, type JsonSchema } from './json-schema.ts';
import { findLabelledValue, hasWords } from './labelled-value.ts';

/* A schema may refer to itself: optional parts end before required ones, and after many values. */
const MAX_OPTIONAL_DEPTH = 6;
const MAX_DEPTH = 30;
const MAX_VALUES = 2_000;
/** The distance from an exclusive limit of a number that need not be an integer. */
const MIN_GAP = 1e-6;

/** Writes a value that is valid against the schema, with values of the dialogue for its fields. */
export function writeJsonAnswer(schema: JsonSchema, digest: DialogueDigest): unknown {
  return new AnswerWriter(schema, digest).write(schema, '', 0);
}

class AnswerWriter {
  readonly #root: JsonSchema;
  readonly #digest: DialogueDigest;
  #values = 0;

  constructor(root: JsonSchema, digest: DialogueDigest) {
    this.#root = root;
    this.#digest = digest;
  }

  /** `index` is the position in an array; it makes the entries differ. */
  write(subschema: unknown, name: string, depth: number, index = 0): unknown {
    this.#values += 1;
    if (depth > MAX_DEPTH) return null;
    const schema = flattenSchema(this.#root, subschema);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.#choose(schema.enum, index);
    const said = () => findLabelledValue(this.#digest.text, name) ?? '';
    const type = chooseType(schema);
    switch (type) {
      case 'object':
        return this.#writeObject(schema, depth);
      case 'array':
        return this.#writeArray(schema, name, depth);
      case 'number':
      case 'integer':
        return chooseNumber(schema, type, readNumber(said())) + index * (schema.multipleOf ?? 0);
      case 'boolean':
        return /^(?:sim|true|verdadeiro)\b/i.test(said());
      case 'null':
        return null;
      default:
        return writeFieldText({ name, schema, index }, this.#digest);
    }
  }

  #mayAdd(depth: number): boolean {
    return depth < MAX_OPTIONAL_DEPTH && this.#values <= MAX_VALUES;
  }

  #choose(values: readonly unknown[], index: number): unknown {
    const said = values.filter(value => typeof value === 'string' && hasWords(this.#digest.text, value));
    return said[index] ?? values[index % values.length] ?? null;
  }

  #writeObject({ properties = {}, required = [] }: JsonSchema, depth: number): Record<string, unknown> {
    const names = new Set([...Object.keys(properties), ...required]);
    const entries: [string, unknown][] = [];
    for (const name of names) {
      const property = Object.hasOwn(properties, name) ? properties[name] : {};
      if (required.includes(name) || this.#mayAdd(depth))
        entries.push([name, this.write(property, name, depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #writeArray(schema: JsonSchema, name: string, depth: number): unknown[] {
    const { prefixItems = [], items = {}, minItems = 0, maxItems = MAX_VALUES } = schema;
    const wanted = Math.max(minItems, prefixItems.length, this.#mayAdd(depth) ? 1 : 0);
    return Array.from({ length: Math.min(maxItems, wanted, MAX_VALUES) }, (_, index) =>
      this.write(prefixItems[index] ?? items, name, depth + 1, index),
    );
  }
}

/** Reads a number in the form used in Brazil: 1.200,50. */
function readNumber(text: string): number | undefined {
  const digits = /-?\d{1,3}(?:\.\d{3})+(?:,\d+)?|-?\d+(?:[.,]\d+)?/.exec(text)?.[0];
  if (digits === undefined) return undefined;
  const decimal = /\.\d{3}(?:$|[.,])/.test(digits) ? digits.replaceAll('.', '') : digits;
  return Number(decimal.replace(',', '.'));
}

/** Chooses the number of the dialogue if it is valid, else one in the middle of the range. */
function chooseNumber(schema: JsonSchema, type: string, said: number | undefined): number {
  const step = schema.multipleOf ?? (type === 'integer' ? 1 : 0);
  const gap = step || MIN_GAP;
  const low = Math.max(schema.minimum ?? -Infinity, (schema.exclusiveMinimum ?? -Infinity) + gap);
  const high = Math.min(schema.maximum ?? Infinity, (schema.exclusiveMaximum ?? Infinity) - gap);
  if (said !== undefined && said >= low && said <= high && (step === 0 || said % step === 0)) return said;
  const isBounded = Number.isFinite(low) && Number.isFinite(high);
  const value = isBounded ? (low + high) / 2 : Math.max(low, Math.min(high, 0));
  if (step === 0) return value;
  const below = Math.floor(value / step) * step;
  return below < low ? below + step : below;
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly index: number;
}

/** Used if the dialogue says nothing about a field. */
const UNKNOWN = 'não informado';
const formatSamples: Readonly<Record<string, string>> = {
  'date-time': '2000-01-01T00:00:00Z',
  date: '2000-01-01',
  email: 'nao-informado@example.invalid',
  uri: 'https://example.invalid/',
  uuid: '00000000-0000-4000-8000-000000000000',
};
/** In code points. A larger `minLength` is not met, because it would only cost memory. */
const MAX_PADDED = 10_000;

function writeFieldText(field: Field, digest: DialogueDigest): string {
  const { format = '' } = field.schema;
  if (format === 'email' && digest.email !== undefined) return digest.email;
  return formatSamples[format] ?? fitLength(chooseContent(field, digest), field.schema);
}

function chooseContent({ name, index, schema }: Field, digest: DialogueDigest): string {
  const [isKnown, value] = personalValue(name, digest);
  const empty = schema.minLength ? UNKNOWN : '';
  if (isKnown || value !== undefined) return value ?? empty;
  const field = foldText(name);
  if (/categor|tag|label|keyword|palavra/.test(field)) return digest.topics[index] ?? UNKNOWN;
  if (/topic|tema|assunto|title|titulo|subject/.test(field))
    return digest.topics.slice(0, 3).join(', ') || UNKNOWN;
  const labelled = findLabelledValue(digest.text, name);
  return labelled ?? (/name$|nome/.test(field) ? empty : digest.summary || UNKNOWN);
}

/** Lengths in JSON Schema count code points. */
function fitLength(
  text: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema,
): string {
  const codePoints = Array.from(text);
  if (codePoints.length > maxLength) return codePoints.slice(0, maxLength).join('');
  return text + '.'.repeat(Math.max(0, Math.min(minLength, MAX_PADDED) - codePoints.length));
}
