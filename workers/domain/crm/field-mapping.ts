import { isStorable, storableText, storableValue } from '../storable.ts';
import { CAMPUS_PREFIX, columns, type Reading } from './columns.ts';
import type { MappedField, Mapping } from './mapping.ts';
import { readValue } from './read-value.ts';

export interface InterField {
  readonly field: string;
  readonly value: unknown;
}

export interface Warning {
  readonly field: string;
  readonly message: string;
}

export interface WrongField {
  readonly path: string;
  readonly message: string;
}

/** A record as it can be stored; `values` has every column that a mapping can fill, '' where nothing came. */
export interface MappedRecord {
  readonly values: Readonly<Record<string, string>>;
  readonly campus: Readonly<Record<string, string>>;
  /** What has no column, in the order in which it came. */
  readonly inter: readonly InterField[];
  readonly warnings: readonly Warning[];
}

export type MappingResult =
  | ({ readonly kind: 'mapped' } & MappedRecord)
  | { readonly kind: 'refused'; readonly wrong: readonly WrongField[] };

const REPLACED = 'held characters that cannot be stored; they were replaced by U+FFFD';

/**
 * Puts each field of a record where the mapping says. What a stranger named may be called like anything, so names are
 * looked up as own keys and kept in lists. `now` is the record's arrival.
 */
export function mapRecord(body: object, mapping: Mapping, now: Date): MappingResult {
  const values = emptyValues(mapping);
  const campus: [string, string][] = [];
  const inter: InterField[] = [];
  const warnings: Warning[] = [];
  const wrong: WrongField[] = missingIn(body, mapping);
  for (const [name, sent] of Object.entries(body)) {
    const field = storableText(name);
    const given = storableValue(sent);
    if (given !== sent || !isStorable(name)) warnings.push({ field, message: REPLACED });
    const target = targetOf(name, mapping);
    if (!target || target.to === 'inter') {
      inter.push({ field, value: given });
      continue;
    }
    if (isEmpty(given)) continue;
    const read = readValue(given, readingOf(target, mapping), now);
    if (read.kind === 'wrong') wrong.push({ path: field, message: read.message });
    else if (read.kind === 'bad') {
      inter.push({ field, value: given });
      warnings.push({ field, message: read.message });
    } else if (target.to === 'campus') campus.push([field, read.value]);
    else values[target.to] = read.value;
  }
  if (wrong.length > 0) return { kind: 'refused', wrong };
  return { kind: 'mapped', values, campus: Object.fromEntries(campus), inter, warnings };
}

/** The agreed field for this name; undefined where nothing was agreed. */
export function targetOf(name: string, { fields, campus }: Mapping): MappedField | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  return campus && name.startsWith(CAMPUS_PREFIX) ? { to: 'campus' } : undefined;
}

function readingOf({ to, as }: MappedField, { target }: Mapping): Reading {
  return as ?? columns[target][to] ?? 'text';
}

function emptyValues({ target }: Mapping): Record<string, string> {
  return Object.fromEntries(Object.keys(columns[target]).map(column => [column, '']));
}

function missingIn(body: object, { required }: Mapping): WrongField[] {
  const sent = new Map(Object.entries(body));
  const isMissing = (fields: readonly string[]) => fields.every(field => isEmpty(sent.get(field)));
  return required.filter(isMissing).flatMap(fields => {
    const message = fields.length > 1 ? `one of ${fields.join(', ')} is required` : 'is required';
    return fields.map(path => ({ path, message }));
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
