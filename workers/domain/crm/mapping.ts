export type RecordTable = 'leads' | 'tickets';

/**
 * How a field's value is read. A number is taken as its digits wherever a text is agreed.
 *
 *   text, integer  another type refuses the record; digits in a text are an integer too
 *   code           a text or an integer
 *   time           milliseconds or seconds since 1970, or as people and programs write it
 *   email, phone, cpf, date   a value that is not one leaves the column empty: the record is worth more than the field
 *   cep, cpf       a number that lost its leading zeros gets them back
 */
export type FieldFormat = 'text' | 'integer' | 'code' | 'time' | 'email' | 'phone' | 'cpf' | 'cep' | 'date';

const person = {
  external_id: 'code',
  firstname: 'text',
  lastname: 'text',
  email: 'email',
  mobilephone: 'phone',
  stage: 'code',
} as const;

/** The columns that a mapping can fill, with their formats. */
export const columns: Readonly<Record<RecordTable, Readonly<Record<string, FieldFormat>>>> = {
  leads: {
    ...person,
    cpf: 'cpf',
    date_of_birth: 'date',
    sexo: 'text',
    nome_da_m_e: 'text',
    cep: 'cep',
    rua: 'text',
    numero_endereco: 'text',
    complemento: 'text',
    bairro: 'text',
    cidade: 'text',
    estado: 'text',
    dealname: 'text',
    unidade: 'text',
    tipo_ingresso: 'text',
    local_da_prova: 'text',
    modalidade_de_ensino: 'text',
    generalinstructions: 'text',
  },
  tickets: { ...person, subject: 'text', content: 'text', opened_at: 'time' },
};

/** Every field of a ticket with this prefix is stored under its own name. */
export const CAMPUS_PREFIX = 'campus_';

export const recordKinds = ['tickets', 'deals', 'objects'] as const;
export type RecordKind = (typeof recordKinds)[number];

export interface MappedField {
  /** A column of the target, or `inter` for a field without a column. */
  readonly to: string;
  /** Set to read the field more strictly than its column. */
  readonly as?: 'integer';
  /** Another field of the same column: this one fills it only where that one has no value that can be read. */
  readonly after?: string;
}

/** The agreement of a host and its CRM for one kind of record. */
export interface Mapping {
  readonly target: RecordTable;
  /** Paths of the records in a body; the first that exists counts. Undefined: the body is the record. */
  readonly records?: readonly string[];
  /** Names of fields, or paths to them. */
  readonly fields: Readonly<Record<string, MappedField>>;
  /** Each entry is one field, or several of which one is enough. */
  readonly required: readonly (readonly string[])[];
  /** The stages in which a ticket is solved. */
  readonly solvedStages: readonly string[];
  /** Whether every `campus_…` field is mapped. */
  readonly campus: boolean;
}

/** How many fields of its column come before this one; undefined if they come in a circle or go elsewhere. */
export function rankOf(name: string, fields: Mapping['fields']): number | undefined {
  let field = fields[name];
  for (let rank = 0; field && rank < Object.keys(fields).length; rank += 1) {
    const { to, after } = field;
    if (after === undefined) return rank;
    field = Object.hasOwn(fields, after) && fields[after]?.to === to ? fields[after] : undefined;
  }
  return undefined;
}

const same = (...names: string[]) => Object.fromEntries(names.map(name => [name, { to: name }]));
const contactFields = same('email', 'firstname', 'lastname', 'mobilephone');
const contactRequired = [['external_id'], ['email', 'mobilephone']];
const wholeNumber = (to: string): MappedField => ({ to, as: 'integer' });

const tickets: Mapping = {
  target: 'tickets',
  fields: {
    ...contactFields,
    ...same('subject', 'content'),
    external_id: wholeNumber('external_id'),
    createdate: { to: 'opened_at' },
    hs_pipeline_stage: wholeNumber('stage'),
  },
  required: contactRequired,
  // "closed" in the default pipeline of such a CRM.
  solvedStages: ['4'],
  campus: true,
};

const deals: Mapping = {
  target: 'leads',
  fields: {
    ...same(...Object.keys(columns.leads).filter(column => column !== 'stage')),
    external_id: wholeNumber('external_id'),
    dealstage: wholeNumber('stage'),
  },
  required: [...contactRequired, ['dealname']],
  solvedStages: [],
  campus: false,
};

/** The specification's mappings, for hosts without their own. Objects have none. */
export const defaultMappings: Readonly<Partial<Record<RecordKind, Mapping>>> = { tickets, deals };
