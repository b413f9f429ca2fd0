import Joi from 'joi';
import {
  columns,
  type MappedField,
  type Mapping,
  type RecordKind,
  type RecordTable,
  rankOf,
} from './mapping.ts';

/** A mapping as operators write it in files. */
export interface MappingFile {
  readonly target?: 'lead' | 'ticket';
  readonly records?: string | readonly string[];
  readonly fields: Readonly<Record<string, string | MappedField>>;
  readonly required: readonly (string | readonly string[])[];
  readonly solvedStages?: readonly (string | number)[];
  readonly campus?: boolean;
}

export type MappingFileResult =
  | { readonly mapping: Mapping; readonly errors?: undefined }
  | { readonly errors: readonly string[]; readonly mapping?: undefined };

const name = Joi.string().min(1).max(200);
const schema = Joi.object({
  // `mapping show` prints a version; a new mapping gets its own.
  version: Joi.number().integer().min(0),
  target: Joi.valid('lead', 'ticket'),
  records: [name, Joi.array().items(name).min(1).max(10)],
  fields: Joi.object()
    .pattern(name, [name, Joi.object({ to: name.required(), as: Joi.valid('integer'), after: name })])
    .required(),
  required: Joi.array().items(name, Joi.array().items(name).min(1)).required(),
  solvedStages: Joi.array().items(Joi.string().min(1), Joi.number().integer()),
  campus: Joi.boolean(),
});

const tables: Readonly<Record<'lead' | 'ticket', RecordTable>> = { lead: 'leads', ticket: 'tickets' };
/** Tickets and deals have a fixed target. */
const targets: Readonly<Partial<Record<RecordKind, 'lead' | 'ticket'>>> = {
  tickets: 'ticket',
  deals: 'lead',
};

/** Returns the mapping of a file, or all its errors. */
export function parseMapping(kind: RecordKind, written: unknown): MappingFileResult {
  const { error } = schema.validate(written, { abortEarly: false, convert: false });
  const wrong = error?.details ?? [];
  if (wrong.some(({ path }) => path.length === 0)) return { errors: wrong.map(messageOf) };
  const file = rightPartsOf(written as MappingFile, wrong);
  const target = targets[kind] ?? file.target;
  const mapping = mappingOf(file, tables[target ?? 'lead']);
  const isWhole = !wrong.some(({ path: [part] }) => part === 'fields' || part === 'required');
  const errors = [
    ...new Set(wrong.map(messageOf)),
    ...(wrong.some(({ path: [part] }) => part === 'target') ? [] : targetErrorsOf(kind, file)),
    ...namesErrorsOf(mapping),
    ...(isWhole ? keyErrorsOf(mapping) : []),
    ...(target === undefined ? [] : columnErrorsOf(mapping)),
  ];
  return errors.length > 0 ? { errors } : { mapping };
}

/** Drops the malformed parts of the file, so that the rest is checked, too. A malformed field counts as one without a column. */
function rightPartsOf(written: MappingFile, wrong: readonly Joi.ValidationErrorItem[]): MappingFile {
  const isRight = (...path: (string | number)[]) =>
    !wrong.some(each => path.every((step, at) => each.path[at] === step) && each.path.length >= path.length);
  const { fields, required, ...others } = written;
  const rest = Object.fromEntries(Object.entries(others).filter(([key]) => isRight(key)));
  const isWhole = (key: string) => !wrong.some(({ path }) => path.length === 1 && path[0] === key);
  const namesOf = Object.entries(isWhole('fields') ? fields : {});
  return {
    ...rest,
    fields: Object.fromEntries(
      namesOf.map(([field, to]) => [field, isRight('fields', field) ? to : UNKNOWN]),
    ),
    required: isWhole('required') ? required.filter((_, at) => isRight('required', at)) : [],
  };
}

/** Each part of a mapping must be this. */
const PARTS = {
  version: 'a whole number',
  target: 'lead or ticket',
  records: 'the path of the records in a body, or a list of 1 to 10 paths',
  fields: 'an object with each field of the CRM and its column',
  required: 'a list of the fields that each record must have; of those in an inner list one is enough',
  solvedStages: 'a list of the stages in which a ticket is solved',
  campus: 'true or false',
} as const;

/** Joi's own messages name neither the form nor what to do: `"required" is required`. */
function messageOf({ path, type }: Joi.ValidationErrorItem): string {
  const [part = '', field, inner] = path;
  if (path.length === 0) return `a mapping is an object with ${Object.keys(PARTS).join(', ')}`;
  if (field === '') return 'the name of a field has 1 to 200 characters';
  const label = path.join('.');
  if (type === 'any.required')
    return inner === undefined
      ? `"${label}" is missing: ${PARTS[part as keyof typeof PARTS]}`
      : `"${part}.${field}" names no column: give it in "to"`;
  if (type === 'object.unknown')
    return field === undefined
      ? `"${part}" is no part of a mapping, which has ${Object.keys(PARTS).join(', ')}`
      : `"${label}" is not known: a field has to, as, after`;
  if (inner === 'as') return `"${label}" can only be integer`;
  if (part === 'fields' && field !== undefined)
    return `"${label}" must be the name of a column${inner === undefined ? ', or {to, as, after}' : ''}`;
  return `"${part}" must be ${PARTS[part as keyof typeof PARTS]}`;
}

const UNKNOWN = { to: 'inter' };

function targetErrorsOf(kind: RecordKind, { target }: MappingFile): string[] {
  const fixed = targets[kind];
  if (fixed === undefined) return target === undefined ? [`"target" is missing: ${PARTS.target}`] : [];
  return target === undefined || target === fixed ? [] : [`"target" of ${kind} is ${fixed}`];
}

export function fileOf({ target, ...agreed }: Mapping): MappingFile {
  return { target: target === 'leads' ? 'lead' : 'ticket', ...agreed };
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

function namesErrorsOf({ fields, required }: Mapping): string[] {
  const unknown = required.flat().filter(field => !Object.hasOwn(fields, field));
  const never = ['hostId', 'hostSlug'].filter(field => Object.hasOwn(fields, field));
  return [
    ...Array.from(new Set(unknown), field => `"required" names "${field}", which is not among the fields`),
    ...never.map(field => `"${field}" is never sent`),
  ];
}

function keyErrorsOf({ fields, required }: Mapping): string[] {
  const key = Object.entries(fields).find(([, { to }]) => to === 'external_id')?.[0];
  const isAlways = required.some(([first, ...more]) => more.length === 0 && first === key);
  return key !== undefined && isAlways ? [] : ['one field must go to "external_id" and be required'];
}

function columnErrorsOf({ target, fields, solvedStages, campus }: Mapping): string[] {
  const taken = Object.values(fields).flatMap(({ to }) => (to === 'inter' ? [] : [to]));
  const unknown = taken.filter(to => !Object.hasOwn(columns[target], to));
  const first = Object.values(fields).flatMap(({ to, after }) => (to === 'inter' || after ? [] : [to]));
  const twice = first.filter((to, at) => first.indexOf(to) !== at);
  const stray = Object.entries(fields).filter(([name]) => rankOf(name, fields) === undefined);
  return [
    ...Array.from(new Set(unknown), to => `there is no column "${to}" in ${target}`),
    ...Array.from(
      new Set(twice),
      to => `two fields go to "${to}": give the second as {"to": "${to}", "after": "<the first>"}`,
    ),
    ...stray.map(([field, { to }]) => `"after" of "${field}" must name another field that goes to "${to}"`),
    ...(target === 'leads' && solvedStages.length > 0 ? ['only a ticket has solved stages'] : []),
    ...(target === 'leads' && campus ? ['only a ticket has campus fields'] : []),
  ];
}
