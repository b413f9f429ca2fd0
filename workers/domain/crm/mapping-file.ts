import Joi from 'joi';
import { columns, type MappedField, type Mapping, type RecordKind, type RecordTable } from './mapping.ts';

/** The form of a mapping in the files of operators. */
export interface MappingFile {
  readonly target?: 'lead' | 'ticket';
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
  fields: Joi.object()
    .pattern(name, [name, Joi.object({ to: name.required(), as: Joi.valid('integer') })])
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

/** The mapping of a file, or its errors. */
export function parseMapping(kind: RecordKind, written: unknown): MappingFileResult {
  const { error } = schema.validate(written, { abortEarly: false, convert: false });
  if (error) return { errors: error.details.map(({ message }) => message) };
  const file = written as MappingFile;
  const target = file.target ?? targets[kind];
  if (target === undefined) return { errors: ['"target" is required: lead or ticket'] };
  if (targets[kind] !== undefined && target !== targets[kind])
    return { errors: [`"target" of ${kind} is ${targets[kind]}`] };
  const mapping = mappingOf(file, tables[target]);
  const errors = errorsOf(mapping);
  return errors.length > 0 ? { errors } : { mapping };
}

/** The mapping in the form of a file. */
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
    fields: Object.fromEntries(fields),
    required: file.required.map(each => (typeof each === 'string' ? [each] : each)),
    solvedStages: (file.solvedStages ?? []).map(String),
    campus: file.campus ?? false,
  };
}

function errorsOf({ target, fields, required, solvedStages, campus }: Mapping): string[] {
  const known = columns[target];
  const taken = Object.values(fields).flatMap(({ to }) => (to === 'inter' ? [] : [to]));
  const key = Object.entries(fields).find(([, { to }]) => to === 'external_id')?.[0];
  const isAlways = (field: string | undefined) =>
    required.some(([first, ...more]) => more.length === 0 && first === field);
  const found = [
    ...taken.filter(to => !Object.hasOwn(known, to)).map(to => `there is no column "${to}" in ${target}`),
    ...taken.filter((to, at) => taken.indexOf(to) !== at).map(to => `two fields go to "${to}"`),
    ...required
      .flat()
      .filter(field => !Object.hasOwn(fields, field))
      .map(field => `"${field}" is required but not among the fields`),
    ...['hostId', 'hostSlug']
      .filter(field => Object.hasOwn(fields, field))
      .map(field => `"${field}" is never sent`),
    ...(key !== undefined && isAlways(key) ? [] : ['one field must go to "external_id" and be required']),
    ...(target === 'leads' && solvedStages.length > 0 ? ['only a ticket has solved stages'] : []),
    ...(target === 'leads' && campus ? ['only a ticket has campus fields'] : []),
  ];
  return [...new Set(found)];
}
