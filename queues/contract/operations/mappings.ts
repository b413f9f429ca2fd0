import { MAX_BODY_BYTES } from '../body-limit.ts';
import { operation } from '../operation.ts';
import {
  either,
  eitherOneOrList,
  field,
  flag,
  freeObject,
  integer,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  optional,
  responseList,
  text,
} from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { hostFields, hostOfObject, keptFieldErrorShape, longText } from './fields.ts';
import { SVC } from './paths.ts';
import { warnings } from './record-shape.ts';

const ofMappings = { tag: 'mappings', scope: 'admin', isForOperators: true } as const;

const MAX_FIELDS = 1_000;
/** Of a body with a list. */
const MAX_TRIED = 20;

const kind = field('Kind of record that it maps.', oneOf('tickets', 'deals', 'objects'));
const version = field(
  'Number of this version: each change makes the next one. 0: the default of tickets and deals.',
  integer({ min: 0 }),
);
const target = field('What a record becomes.', oneOf('lead', 'ticket'));
const campus = field('Whether every field that begins with `campus_` is kept with the ticket.', flag());
const meaningOfFields =
  'The column of each field of the CRM, or `inter` for none. The name of a field may be a path, such as `contact.uuid`.';
const mappedField = object({
  to: field('Name of the column, or `inter`.', text()),
  as: field('Set to take only whole numbers.', optional(oneOf('integer'))),
  after: field(
    'Another field of this column: this one counts only where that one has no value that can be read.',
    optional(text()),
  ),
});
const meaningOfRequired =
  'Fields that each record must have; of those in an inner list one is enough. The field that goes to `external_id` must be one.';
const meaningOfRecords =
  'Where the records of a body are: a path or several, of which the first that is there counts.';
const meaningOfStages = 'Stages in which a ticket is solved.';
const stage = text();

/** A mapping as it is written: the preset or the defaults fill in the parts that are left out. */
const writtenParts = {
  preset: field(
    'A mapping for the webhooks of a CRM, which the other parts change. When absent: `fields` and `required` are needed.',
    optional(oneOf('rdstation', 'pipedrive', 'hubspot')),
  ),
  target: field(
    'What a record becomes: `lead` or `ticket`; needed for objects. When absent: as the kind says, or the preset.',
    optional(target),
  ),
  records: field(
    `${meaningOfRecords} When absent: the body is the record.`,
    optional(eitherOneOrList(text(), { max: 10 })),
  ),
  fields: field(
    `${meaningOfFields} When absent: as the preset has them.`,
    optional(mapOf(either(text(), mappedField), { max: MAX_FIELDS })),
  ),
  required: field(
    `${meaningOfRequired} When absent: as the preset has them.`,
    optional(list(either(text(), list(text(), { min: 1, max: MAX_FIELDS })), { max: MAX_FIELDS })),
  ),
  solvedStages: field(
    `${meaningOfStages} When absent: none.`,
    optional(list(either(stage, integer()), { max: MAX_FIELDS })),
  ),
  campus: field(
    'Whether every field that begins with `campus_` is mapped. When absent: false.',
    optional(campus),
  ),
};

const mapping = object({
  kind,
  version,
  target,
  records: field(`${meaningOfRecords} Absent: the body is the record.`, optional(list(text(), { max: 10 }))),
  fields: field(meaningOfFields, mapOf(mappedField, { max: MAX_FIELDS })),
  required: field(meaningOfRequired, list(list(text(), { max: MAX_FIELDS }), { max: MAX_FIELDS })),
  solvedStages: field(meaningOfStages, list(stage, { max: MAX_FIELDS })),
  campus,
});

const example = {
  target: 'lead' as const,
  fields: { codigo: 'external_id', e_mail: 'email', celular: 'mobilephone', obs: 'inter' },
  required: ['codigo', ['e_mail', 'celular']],
};

export const saveMapping = operation({
  ...ofMappings,
  effect: 'changes',
  summary: 'Set which column each field of a CRM’s records goes to',
  description:
    'Only for tokens of operators. It becomes the next version, by which records are mapped from now on; those that were refused can be sent to ' +
    'intakeReplayHelper.',
  path: `${SVC}/saveMappingHelper`,
  body: object({
    ...hostFields,
    kind,
    ...writtenParts,
    deleted: field(
      'True goes back to the default of tickets and deals; objects are refused then. When absent: false.',
      optional(flag()),
    ),
  }),
  data: object({
    hostId: hostOfObject,
    kind,
    version,
    deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
  }),
  example: {
    body: { hostId: HOST_ID, kind: 'objects', ...example },
    data: { hostId: HOST_ID, kind: 'objects', version: 1 },
  },
  refusals: ['operators-only'],
});

export const listMappings = operation({
  ...ofMappings,
  effect: 'reads',
  summary: 'List the mappings of a host',
  description: 'Only for tokens of operators. The current one of each kind of record; objects may have none.',
  path: `${SVC}/mappingsListHelper`,
  body: object({
    ...hostFields,
    kind: field('Only the mapping of this kind. When absent: of each.', optional(kind)),
  }),
  data: responseList(mapping),
  example: {
    body: { hostId: HOST_ID, kind: 'objects' },
    data: [
      {
        kind: 'objects',
        version: 1,
        target: 'lead',
        fields: { codigo: { to: 'external_id' }, e_mail: { to: 'email' } },
        required: [['codigo']],
        solvedStages: [],
        campus: false,
      },
    ],
  },
  refusals: ['operators-only'],
});

export const tryMapping = operation({
  ...ofMappings,
  effect: 'reads',
  summary: 'Try a record with a mapping',
  description: `Only for tokens of operators. Writes nothing. Of a body with a list of records, the first ${MAX_TRIED} are tried.`,
  path: `${SVC}/tryMappingHelper`,
  body: object({
    ...hostFields,
    kind,
    record: field('The body in the form of the CRM.', freeObject()),
    ...writtenParts,
    preset: field(
      'A mapping for the webhooks of a CRM. When it and `fields` are absent: the current one of the host.',
      writtenParts.preset,
    ),
  }),
  data: list(
    object({
      fields: field(
        'The fields of the record, and what is around it, with the column of each.',
        list(
          object({
            field: field('Name or path of the field.', longText),
            to: field('Its column; null if it is not mapped, and kept in `interData`.', nullable(longText)),
          }),
          { max: MAX_BODY_BYTES },
        ),
      ),
      errors: field(
        'Why it would be refused; empty if it would not.',
        list(keptFieldErrorShape, { max: MAX_BODY_BYTES }),
      ),
      warnings,
    }),
    { max: MAX_TRIED },
  ),
  example: {
    body: {
      hostId: HOST_ID,
      kind: 'objects',
      record: { codigo: 7, turno: 'noite' },
      ...example,
      required: ['codigo'],
    },
    data: [
      {
        fields: [
          { field: 'codigo', to: 'external_id' },
          { field: 'turno', to: null },
        ],
        errors: [],
        warnings: [],
      },
    ],
  },
  refusals: ['operators-only', 'mapping-not-agreed'],
});
