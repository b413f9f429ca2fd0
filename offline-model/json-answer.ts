import type { DialogueDigest } from './dialogue-digest.ts';
import { writeFieldText } from './field-text.ts';
import { chooseType, flattenSchema, type JsonSchema } from './json-schema.ts';
import { findLabelledValue, hasWords } from './labelled-value.ts';

// A schema may refer to itself. Optional parts stop at a smaller depth than required ones.
const MAX_OPTIONAL_DEPTH = 6;
const MAX_DEPTH = 30;
/** Values of one answer, and entries of one array; then optional parts are left out. */
const MAX_VALUES = 2000;
/** The smallest distance from an exclusive limit of a number that need not be an integer. */
const MIN_GAP = 1e-6;

function chooseNumber(schema: JsonSchema, isInteger: boolean, statedNumber: number | undefined): number {
  const step = schema.multipleOf ?? (isInteger ? 1 : 0);
  const gap = step || MIN_GAP;
  const low = Math.max(schema.minimum ?? -Infinity, (schema.exclusiveMinimum ?? -Infinity) + gap);
  const high = Math.min(schema.maximum ?? Infinity, (schema.exclusiveMaximum ?? Infinity) - gap);
  const isValid =
    statedNumber !== undefined &&
    statedNumber >= low &&
    statedNumber <= high &&
    (step === 0 || statedNumber % step === 0);
  if (isValid) return statedNumber;
  let value = Math.max(low, Math.min(high, 0));
  if (Number.isFinite(low) && Number.isFinite(high)) value = (low + high) / 2;
  if (step > 0) value = Math.floor(value / step) * step;
  return value < low && step > 0 ? value + step : value;
}

class AnswerWriter {
  private values = 0;
  private readonly root: JsonSchema;
  private readonly digest: DialogueDigest;

  constructor(root: JsonSchema, digest: DialogueDigest) {
    this.root = root;
    this.digest = digest;
  }

  /** `index`: the position in an array, so that its entries differ */
  writeValue(subschema: unknown, name: string, depth: number, index = 0): unknown {
    this.values += 1;
    const schema = flattenSchema(this.root, subschema);
    if (depth > MAX_DEPTH) return null;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.chooseValue(schema.enum, index);
    const type = chooseType(schema);
    if (type === 'object') return this.writeObject(schema, depth);
    if (type === 'array') return this.writeArray(schema, name, depth);
    if (type === 'number' || type === 'integer')
      return (
        chooseNumber(schema, type === 'integer', this.readNumber(name)) + index * (schema.multipleOf ?? 0)
      );
    if (type === 'boolean') return /^(?:sim|true|verdadeiro)\b/i.test(this.findValueText(name) ?? '');
    if (type === 'null') return null;
    return writeFieldText({ name, schema, index }, this.digest);
  }

  private findValueText(name: string): string | undefined {
    return findLabelledValue(this.digest.text, name);
  }

  private readNumber(name: string): number | undefined {
    const digits = /-?\d{1,3}(?:\.\d{3})+(?:,\d+)?|-?\d+(?:[.,]\d+)?/.exec(
      this.findValueText(name) ?? '',
    )?.[0];
    if (digits === undefined) return undefined;
    // Brazilian number format: 1.200,50.
    const decimal = /\.\d{3}(?:$|[.,])/.test(digits) ? digits.replaceAll('.', '') : digits;
    return Number(decimal.replace(',', '.'));
  }

  private chooseValue(values: readonly unknown[], index: number): unknown {
    const mentionedValues = values.filter(
      value => typeof value === 'string' && hasWords(this.digest.text, value),
    );
    return mentionedValues[index] ?? values[index % values.length] ?? null;
  }

  private get isFull(): boolean {
    return this.values > MAX_VALUES;
  }

  private writeObject(schema: JsonSchema, depth: number): Record<string, unknown> {
    const required = new Set(schema.required ?? []);
    const names = new Set([...Object.keys(schema.properties ?? {}), ...required]);
    const entries: [string, unknown][] = [];
    for (const name of names) {
      const isIncluded = required.has(name) || (depth < MAX_OPTIONAL_DEPTH && !this.isFull);
      const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
      if (isIncluded) entries.push([name, this.writeValue(property ?? {}, name, depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  private writeArray(schema: JsonSchema, name: string, depth: number): unknown[] {
    const prefixItems = schema.prefixItems ?? [];
    const minItems = schema.minItems ?? 0;
    const usualCount = depth < MAX_OPTIONAL_DEPTH && !this.isFull ? 1 : 0;
    const count = Math.min(
      schema.maxItems ?? Infinity,
      Math.max(minItems, usualCount, prefixItems.length),
      MAX_VALUES,
    );
    return Array.from({ length: count }, (_, index) =>
      this.writeValue(prefixItems[index] ?? schema.items ?? {}, name, depth + 1, index),
    );
  }
}

/** A value that is valid against the schema, with text taken from the dialogue where a field's name asks for it. */
export function writeJsonAnswer(schema: JsonSchema, digest: DialogueDigest): unknown {
  return new AnswerWriter(schema, digest).writeValue(schema, '', 0);
}
