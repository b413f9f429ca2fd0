import type { DialogueDigest } from './dialogue-digest.ts';
import { textForField } from './field-text.ts';
import { flattenSchema, type JsonSchema, typeIn } from './json-schema.ts';
import { findLabelledValue, mentions } from './labelled-value.ts';

// A schema may refer to itself; optional parts stop at this depth, so that every answer ends.
const MAX_OPTIONAL_DEPTH = 6;
const deepest = 30;
const MAX_VALUES = 2000;

function numberFor(schema: JsonSchema, isInteger: boolean, findText: number | undefined): number {
  const step = schema.multipleOf ?? (isInteger ? 1 : 0);
  const gap = step || 1e-6;
  const low = Math.max(schema.minimum ?? -Infinity, (schema.exclusiveMinimum ?? -Infinity) + gap);
  const high = Math.min(schema.maximum ?? Infinity, (schema.exclusiveMaximum ?? Infinity) - gap);
  const fits =
    findText !== undefined && findText >= low && findText <= high && (step === 0 || findText % step === 0);
  if (fits) return findText;
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

  /** `index` tells the entries of one array apart */
  valueFor(subschema: unknown, name: string, depth: number, index = 0): unknown {
    this.values += 1;
    const schema = flattenSchema(this.root, subschema);
    if (depth > deepest) return null;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.chooseFrom(schema.enum, index);
    const type = typeIn(schema);
    if (type === 'object') return this.objectFor(schema, depth);
    if (type === 'array') return this.arrayFor(schema, name, depth);
    if (type === 'number' || type === 'integer')
      return numberFor(schema, type === 'integer', this.findNumber(name)) + index * (schema.multipleOf ?? 0);
    if (type === 'boolean') return /^(?:sim|true|verdadeiro)\b/i.test(this.said(name) ?? '');
    if (type === 'null') return null;
    return textForField({ name, schema, index }, this.digest);
  }

  private said(name: string): string | undefined {
    return findLabelledValue(this.digest.text, name);
  }

  private findNumber(name: string): number | undefined {
    const digits = /-?\d{1,3}(?:\.\d{3})+(?:,\d+)?|-?\d+(?:[.,]\d+)?/.exec(this.said(name) ?? '')?.[0];
    if (digits === undefined) return undefined;
    // Brazilian number format: 1.200,50.
    const plain = /\.\d{3}(?:$|[.,])/.test(digits) ? digits.replaceAll('.', '') : digits;
    return Number(plain.replace(',', '.'));
  }

  private chooseFrom(values: readonly unknown[], index: number): unknown {
    const mentioned = values.filter(value => typeof value === 'string' && mentions(this.digest.text, value));
    return mentioned[index] ?? values[index % values.length] ?? null;
  }

  private get isFull(): boolean {
    return this.values > MAX_VALUES;
  }

  private objectFor(schema: JsonSchema, depth: number): Record<string, unknown> {
    const required = new Set(schema.required ?? []);
    const names = new Set([...Object.keys(schema.properties ?? {}), ...required]);
    const entries: [string, unknown][] = [];
    for (const name of names) {
      const isWanted = required.has(name) || (depth < MAX_OPTIONAL_DEPTH && !this.isFull);
      const own = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
      if (isWanted) entries.push([name, this.valueFor(own ?? {}, name, depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  private arrayFor(schema: JsonSchema, name: string, depth: number): unknown[] {
    const fixed = schema.prefixItems ?? [];
    const least = schema.minItems ?? 0;
    const usual = depth < MAX_OPTIONAL_DEPTH && !this.isFull ? 1 : 0;
    const count = Math.min(schema.maxItems ?? Infinity, Math.max(least, usual, fixed.length), MAX_VALUES);
    return Array.from({ length: count }, (_, index) =>
      this.valueFor(fixed[index] ?? schema.items ?? {}, name, depth + 1, index),
    );
  }
}

/** A value that is valid against the schema, with text taken from the dialogue where a field's name asks for it. */
export function jsonAnswer(schema: JsonSchema, digest: DialogueDigest): unknown {
  return new AnswerWriter(schema, digest).valueFor(schema, '', 0);
}
