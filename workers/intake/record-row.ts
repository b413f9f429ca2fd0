import { isDeepStrictEqual } from 'node:util';
import type { ExistingRecord, NewRecord, RecordKey, RecordTable } from '../../db/intake/crm-records.ts';
import { jsonOf } from '../../db/rows-of.ts';
import { e164Of } from '../../text/phone.ts';
import { columns } from '../domain/crm/columns.ts';
import type { MappedRecord } from '../domain/crm/field-mapping.ts';
import type { Mapping } from '../domain/crm/mapping.ts';
import type { StoredFields } from '../domain/crm/merge-record.ts';

/** Every ticket has a time of opening, so an arrival without one keeps the stored time. */
const OPENED_AT = 'opened_at';

/** The stored columns, in the form in which a mapping fills them. */
export function fieldsOf({ columns: stored }: ExistingRecord, table: RecordTable): StoredFields {
  const names = Object.keys(columns[table]);
  const values = names.map(name => [name, name === OPENED_AT ? '' : (stored[name] ?? '')]);
  const { campus = {}, inter_data: inter, warnings } = stored;
  return { values: Object.fromEntries(values), campus, inter, warnings } as StoredFields;
}

/** Whether storing it would change nothing. */
export function isUnchanged(existing: ExistingRecord, record: NewRecord): boolean {
  if (record.isSolved && existing.columns['solved_at'] === null) return false;
  const { [OPENED_AT]: opened, ...others } = JSON.parse(jsonOf(record.columns)) as Record<string, unknown>;
  if (opened && !isSameTime(opened, existing.columns[OPENED_AT])) return false;
  // Leads have no campus fields.
  const compared = Object.entries(others).filter(([name]) => Object.hasOwn(existing.columns, name));
  return compared.every(([name, value]) => isDeepStrictEqual(value, existing.columns[name] ?? ''));
}

export function newRecordOf(key: RecordKey, mapping: Mapping, merged: MappedRecord): NewRecord {
  const { values, campus, inter, warnings } = merged;
  const { mobilephone, stage = '' } = values;
  const isSolved = mapping.solvedStages.includes(stage);
  const others = { phone_e164: e164Of(mobilephone), campus, inter_data: inter, warnings };
  return { ...key, columns: { ...values, ...others }, isSolved };
}

export function contactOf({ values }: MappedRecord) {
  const { firstname = '', lastname = '', email, mobilephone, cpf } = values;
  const name = `${firstname.trim()} ${lastname.trim()}`.trim();
  return { name, email, phone: mobilephone, phoneE164: e164Of(mobilephone), cpf };
}

function isSameTime(a: unknown, b: unknown): boolean {
  return new Date(String(a)).getTime() === new Date(String(b)).getTime();
}
