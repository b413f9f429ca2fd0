import { isEmpty, type MappedRecord, type MappingResult, targetOf } from './field-mapping.ts';
import type { Mapping } from './mapping.ts';

/** The stored fields of a record, from all its earlier arrivals. */
export type StoredFields = Pick<MappedRecord, 'values' | 'campus' | 'inter' | 'warnings'>;

interface NamedField {
  readonly field: string;
}

/** Merges an arrival into the record: a field that it leaves out is kept, an empty one is cleared. */
export function mergeRecord(stored: StoredFields | undefined, arrival: MappedRecord): MappedRecord {
  if (!stored) return arrival;
  const { sentColumns, sentFields } = arrival;
  const unsent = Object.entries(stored.values).filter(([column]) => !sentColumns.has(column));
  const otherCampus = Object.entries(stored.campus).filter(([field]) => !sentFields.has(field));
  const inter = limitList(mergeLists(stored.inter, arrival.inter, sentFields));
  const campus = limitList([...otherCampus, ...Object.entries(arrival.campus)]);
  const warnings = mergeLists(stored.warnings, arrival.warnings, sentFields);
  return {
    ...arrival,
    values: { ...arrival.values, ...Object.fromEntries(unsent) },
    campus: Object.fromEntries(campus.kept),
    inter: inter.kept,
    warnings: [
      ...(inter.isCut || campus.isCut ? [TOO_MANY] : []),
      ...limitList(warnings.filter(({ field }) => field !== TOO_MANY.field)).kept,
    ],
  };
}

const NOBODY = {
  field: 'contactData',
  message: 'nobody can be reached: neither an e-mail nor a phone could be read',
};

/** Whether e-mail or phone were sent, and none of them could be read. */
function isUnreachable({ values, inter }: Pick<StoredFields, 'values' | 'inter'>, mapping: Mapping): boolean {
  if (values['email'] || values['mobilephone']) return false;
  return inter.some(({ field, value }) => {
    const to = targetOf(field, mapping)?.to;
    return (to === 'email' || to === 'mobilephone') && !isEmpty(value);
  });
}

/** Warns of a record that nobody can be reached by, and takes the warning back where somebody can. */
export function warnOfNobody<T extends Pick<StoredFields, 'values' | 'inter' | 'warnings'>>(
  record: T,
  mapping: Mapping,
): T {
  const others = record.warnings.filter(({ field }) => field !== NOBODY.field);
  return { ...record, warnings: isUnreachable(record, mapping) ? [...others, NOBODY] : others };
}

/** One arrival can have as much. Without a limit a record would grow with each, and be read and written as a whole. */
const MAX_FIELDS = 20_000;
const MAX_LENGTH = 1_048_576;
const TOO_MANY = {
  field: 'inter_data',
  message: 'the record has as many other fields as it may: further ones are left out',
};

function limitList<T>(list: readonly T[]): { readonly kept: readonly T[]; readonly isCut: boolean } {
  let length = 0;
  const end = list.findIndex((each, at) => {
    length += JSON.stringify(each).length;
    return at >= MAX_FIELDS || length > MAX_LENGTH;
  });
  return end < 0 ? { kept: list, isCut: false } : { kept: list.slice(0, end), isCut: true };
}

/**
 * Returns the required groups that neither the arrival nor the stored record fills; a field that the arrival clears counts as
 * missing.
 */
export function missingGroupsOf(
  { missing, record }: MappingResult,
  mapping: Mapping,
  stored: StoredFields | undefined,
): MappingResult['missing'] {
  if (!stored) return missing;
  const isStored = (field: string) => !record.sentFields.has(field) && hasField(stored, field, mapping);
  return missing.filter(fields => !fields.some(isStored));
}

function hasField({ values, campus, inter }: StoredFields, field: string, mapping: Mapping): boolean {
  const to = targetOf(field, mapping)?.to;
  if (to === undefined || to === 'inter')
    return inter.some(each => each.field === field && !isEmpty(each.value));
  return Boolean(to === 'campus' ? campus[field] : values[to]);
}

/** Keeps the order in which fields first came, so that a different order is no change. */
function mergeLists<T extends NamedField>(
  stored: readonly T[],
  arriving: readonly T[],
  named: ReadonlySet<string>,
): T[] {
  const waiting = new Map<string, T[]>();
  for (const each of arriving) {
    const same = waiting.get(each.field);
    if (same) same.push(each);
    else waiting.set(each.field, [each]);
  }
  const kept = stored.flatMap(each => {
    if (!named.has(each.field)) return [each];
    const now = waiting.get(each.field) ?? [];
    waiting.delete(each.field);
    return now;
  });
  return [...kept, ...[...waiting.values()].flat()];
}
