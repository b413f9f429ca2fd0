import { isDeepStrictEqual } from 'node:util';
import type { NewRecord, RecordTable, StandingRecord } from '../../db/crm-records.ts';
import { jsonOf } from '../../db/rows-of.ts';
import { columns } from '../domain/crm/columns.ts';
import type { StandingFields } from '../domain/crm/merged-record.ts';

/** A ticket was always opened at some time: an arrival that names none leaves it. */
const KEPT = 'opened_at';

/** What is stored of a record, as a mapping fills it. */
export function fieldsOf({ columns: stored }: StandingRecord, table: RecordTable): StandingFields {
  const names = Object.keys(columns[table]);
  const values = names.map(name => [name, name === KEPT ? '' : (stored[name] ?? '')]);
  const { campus = {}, inter_data: inter, warnings } = stored;
  return { values: Object.fromEntries(values), campus, inter, warnings } as StandingFields;
}

/** Whether storing it would change nothing. */
export function saysTheSame(standing: StandingRecord, given: NewRecord): boolean {
  if (given.isSolved && standing.columns['solved_at'] === null) return false;
  const { [KEPT]: opened, ...others } = JSON.parse(jsonOf(given.columns)) as Record<string, unknown>;
  if (opened && !isSameTime(opened, standing.columns[KEPT])) return false;
  // Of leads there is no campus.
  const kept = Object.entries(others).filter(([name]) => Object.hasOwn(standing.columns, name));
  return kept.every(([name, value]) => isDeepStrictEqual(value, standing.columns[name] ?? ''));
}

function isSameTime(a: unknown, b: unknown): boolean {
  return new Date(String(a)).getTime() === new Date(String(b)).getTime();
}
