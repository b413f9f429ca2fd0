import { broken, type FieldError, fieldError } from '../../../platform/field-error.ts';
import { isStorable, storableText, storableValue } from '../../../platform/storable-text.ts';
import {
  CAMPUS_PREFIX,
  columns,
  type FieldFormat,
  type MappedField,
  type Mapping,
  rankOf,
} from './mapping.ts';
import { type MappingTime, parseValue } from './parse-value.ts';
import { listRecords, type RecordFields, readFields } from './record-fields.ts';

export interface InterField {
  readonly field: string;
  readonly value: unknown;
}

export interface Warning {
  readonly field: string;
  readonly message: string;
}

export interface MappedRecord {
  /** Every column that a mapping can fill, '' without a value. */
  readonly values: Readonly<Record<string, string>>;
  /** The columns whose field was sent, even if empty. */
  readonly sentColumns: ReadonlySet<string>;
  readonly campus: Readonly<Record<string, string>>;
  /** Fields without a column, in order. */
  readonly inter: readonly InterField[];
  readonly warnings: readonly Warning[];
  readonly sentFields: ReadonlySet<string>;
}

export interface MappingResult {
  readonly record: MappedRecord;
  readonly errors: readonly FieldError[];
  /** Groups of required fields of which none is filled; one field of a group is enough. */
  readonly missing: readonly (readonly string[])[];
}

const REPLACED = 'held characters that cannot be stored; they were replaced by U+FFFD';

export function mapRecord(body: object, mapping: Mapping, at: MappingTime): MappingResult {
  const result = mapFields(readFields(body, mapping), mapping, at);
  const listed = listRecords(body, mapping);
  if (!listed || listed.bodies.length === 1) return result;
  const { path, error = broken('several-records') } = listed;
  return { ...result, errors: [{ path, ...error }], missing: [] };
}

/**
 * Maps each field of a record to its column. Field names are untrusted (`__proto__`), so they are keys of maps and collected
 * in lists.
 */
export function mapFields(
  { fields, around }: RecordFields,
  mapping: Mapping,
  at: MappingTime,
): MappingResult {
  const values = emptyValues(mapping);
  const sentColumns = new Set<string>();
  const sentFields = new Set<string>();
  const campus: [string, string][] = [];
  const inter: InterField[] = [];
  const warnings: Warning[] = [];
  const errors: FieldError[] = [];
  const readStorable = (name: string, sent: unknown): InterField => {
    const field = storableText(name);
    const value = storableValue(sent);
    sentFields.add(field);
    if (value !== sent || !isStorable(name)) warnings.push({ field, message: REPLACED });
    return { field, value };
  };
  for (const [name, sent] of inOrder(fields, mapping)) {
    const { field, value } = readStorable(name, sent);
    const target = targetOf(name, mapping);
    if (!target || target.to === 'inter') {
      inter.push({ field, value });
      continue;
    }
    if (target.to !== 'campus' && target.after === undefined) sentColumns.add(target.to);
    if (isEmpty(value)) continue;
    if (target.after !== undefined && values[target.to]) {
      inter.push({ field, value });
      continue;
    }
    const read = parseValue(value, formatOf(target, mapping), at);
    if (read.kind === 'refused') errors.push({ path: field, ...read.broken });
    else if (read.kind === 'unusable') {
      inter.push({ field, value });
      warnings.push({ field, message: read.message });
    } else {
      if (read.hasMore) inter.push({ field, value });
      if (read.warning !== undefined) warnings.push({ field, message: read.warning });
      if (target.to === 'campus') campus.push([field, read.value]);
      else {
        values[target.to] = read.value;
        sentColumns.add(target.to);
      }
    }
  }
  for (const [name, sent] of around) if (!fields.has(name)) inter.push(readStorable(name, sent));
  const record = { values, sentColumns, campus: Object.fromEntries(campus), inter, warnings, sentFields };
  return { record, errors, missing: missingIn(fields, mapping) };
}

/** Puts each field behind those that it comes after. */
function inOrder(sent: RecordFields['fields'], { fields }: Mapping): Iterable<readonly [string, unknown]> {
  const isLater = (name: string) => Object.hasOwn(fields, name) && fields[name]?.after !== undefined;
  const later = [...sent].filter(([name]) => isLater(name));
  if (later.length === 0) return sent;
  later.sort(([a], [b]) => (rankOf(a, fields) ?? 0) - (rankOf(b, fields) ?? 0));
  return [...[...sent].filter(([name]) => !isLater(name)), ...later];
}

export function missingFieldErrorsOf(missing: MappingResult['missing']): FieldError[] {
  return missing.flatMap(values =>
    values.map(path =>
      values.length > 1
        ? fieldError(path, 'one-required', { values: [...values] })
        : fieldError(path, 'required'),
    ),
  );
}

/** Returns the mapped field of this name; undefined if the mapping has none. */
export function targetOf(name: string, { fields, campus }: Mapping): MappedField | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  return campus && name.startsWith(CAMPUS_PREFIX) ? { to: 'campus' } : undefined;
}

function formatOf({ to, as }: MappedField, { target }: Mapping): FieldFormat {
  return as ?? columns[target][to] ?? 'text';
}

function emptyValues({ target }: Mapping): Record<string, string> {
  return Object.fromEntries(Object.keys(columns[target]).map(column => [column, '']));
}

function missingIn(sent: RecordFields['fields'], { required }: Mapping): (readonly string[])[] {
  return required.filter(fields => fields.every(field => isEmpty(sent.get(field))));
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
