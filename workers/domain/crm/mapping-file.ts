import { type FieldError, fieldError } from '../../../platform/field-error.ts';
import {
  columns,
  type MappedField,
  type Mapping,
  type RecordKind,
  type RecordTable,
  rankOf,
} from './mapping.ts';

/** A mapping as operators write it. */
export interface MappingFile {
  readonly target?: 'lead' | 'ticket';
  readonly records?: string | readonly string[];
  readonly fields: Readonly<Record<string, string | MappedField>>;
  readonly required: readonly (string | readonly string[])[];
  readonly solvedStages?: readonly (string | number)[];
  readonly campus?: boolean;
}

type ParsedMapping =
  | { readonly mapping: Mapping; readonly errors?: undefined }
  | { readonly errors: readonly FieldError[]; readonly mapping?: undefined };

const tables: Readonly<Record<'lead' | 'ticket', RecordTable>> = { lead: 'leads', ticket: 'tickets' };
/** Tickets and deals have a fixed target. */
const targets: Readonly<Partial<Record<RecordKind, 'lead' | 'ticket'>>> = {
  tickets: 'ticket',
  deals: 'lead',
};

/** Returns the mapping as it is stored, or all its errors. The shape of its parts has been checked. */
export function parseMapping(kind: RecordKind, file: MappingFile): ParsedMapping {
  const target = targets[kind] ?? file.target;
  const mapping = mappingOf(file, tables[target ?? 'lead']);
  const errors = [
    ...targetErrorsOf(kind, file),
    ...namesErrorsOf(mapping),
    ...keyErrorsOf(mapping),
    ...(target === undefined ? [] : columnErrorsOf(mapping)),
  ];
  return errors.length > 0 ? { errors } : { mapping };
}

function targetErrorsOf(kind: RecordKind, { target }: MappingFile): FieldError[] {
  const fixed = targets[kind];
  if (fixed === undefined) return target === undefined ? [fieldError('target', 'required')] : [];
  return target === undefined || target === fixed
    ? []
    : [fieldError('target', 'one-of', { values: [fixed] })];
}

export function fileOf({ target, records, fields, required, ...agreed }: Mapping) {
  return {
    target: target === 'leads' ? ('lead' as const) : ('ticket' as const),
    ...(records && { records: [...records] }),
    fields: { ...fields },
    required: required.map(each => [...each]),
    campus: agreed.campus,
    solvedStages: [...agreed.solvedStages],
  };
}

function mappingOf(file: MappingFile, target: RecordTable): Mapping {
  const fields = Object.entries(file.fields).map(([field, to]) => [
    field,
    typeof to === 'string' ? { to } : to,
  ]);
  return {
    target,
    ...(file.records === undefined ? {} : { records: [file.records].flat() }),
    fields: Object.fromEntries(fields),
    required: file.required.map(each => (typeof each === 'string' ? [each] : each)),
    solvedStages: (file.solvedStages ?? []).map(String),
    campus: file.campus ?? false,
  };
}

function namesErrorsOf({ fields, required }: Mapping): FieldError[] {
  const unknown = required.flatMap((group, at) =>
    group.some(field => !Object.hasOwn(fields, field))
      ? [fieldError(`required[${at}]`, 'unknown', 'must name fields of the mapping')]
      : [],
  );
  const never = ['hostId', 'hostSlug'].filter(field => Object.hasOwn(fields, field));
  return [...unknown, ...never.map(field => fieldError(`fields.${field}`, 'not-allowed', 'is never sent'))];
}

function keyErrorsOf({ fields, required }: Mapping): FieldError[] {
  const key = Object.entries(fields).find(([, { to }]) => to === 'external_id')?.[0];
  const isAlways = required.some(([first, ...more]) => more.length === 0 && first === key);
  return key !== undefined && isAlways
    ? []
    : [fieldError('required', 'required', 'must name the one field that goes to `external_id`')];
}

function columnErrorsOf({ target, fields, solvedStages, campus }: Mapping): FieldError[] {
  const known = [...Object.keys(columns[target]), 'inter'];
  const taken = new Set<string>();
  const errors = Object.entries(fields).flatMap(([name, { to, after }]): FieldError[] => {
    if (!known.includes(to)) return [fieldError(`fields.${name}`, 'one-of', { values: known })];
    if (rankOf(name, fields) === undefined)
      return [fieldError(`fields.${name}.after`, 'unknown', 'must name another field of the same column')];
    if (to === 'inter' || after !== undefined) return [];
    if (taken.has(to))
      return [fieldError(`fields.${name}`, 'only-with', { values: ['after'], message: SAME_COLUMN })];
    taken.add(to);
    return [];
  });
  const ofTickets = (path: string) => fieldError(path, 'not-allowed', 'is for tickets only');
  const isLead = target === 'leads';
  return [
    ...errors,
    ...(isLead && solvedStages.length > 0 ? [ofTickets('solvedStages')] : []),
    ...(isLead && campus ? [ofTickets('campus')] : []),
  ];
}

const SAME_COLUMN = 'goes to the column of another field: say `{to, after}`, with `after` naming that one';
