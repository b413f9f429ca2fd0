export type RecordTable = 'leads' | 'tickets';

/**
 * How a field's value is read. A number is taken as its digits wherever a text is agreed.
 *
 *   text, integer  another type refuses the record; digits in a text are an integer too
 *   code           a text or an integer
 *   time           milliseconds or seconds since 1970, or ISO 8601
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
