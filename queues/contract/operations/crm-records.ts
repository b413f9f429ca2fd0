import { anyValue, field, type JsonObject, openObject, optional, type Shape } from '../shape.ts';

/*
 * The records of a CRM, as they are agreed unless a host has a mapping of its own. The door refuses none for the type
 * of a value: what a field may hold is the mapping's business, and a record that breaks it is kept all the same.
 */

/** A field of a record: text, or a number, which is taken as its digits. */
const recordField = (meaning: string) => field(meaning, optional(anyValue()));

const external_id = recordField(
  'Id of the record in the CRM: an integer, or its digits. Required. The same id is the same record.',
);
const createdate = recordField(
  'When the record was created in the CRM: milliseconds or seconds since 1970, or ISO 8601. When absent: its arrival.',
);
const person = {
  email: recordField(
    'E-mail address of the person; finds the contact. Required where `mobilephone` is absent.',
  ),
  firstname: recordField('First name of the person.'),
  lastname: recordField('Family name of the person.'),
  mobilephone: recordField('Mobile phone in international format. Required where `email` is absent.'),
};

export const crmTicket: Shape<JsonObject> = openObject({
  external_id,
  ...person,
  createdate,
  subject: recordField('What the ticket is about, in a line.'),
  content: recordField('What the person wrote, or what is wrong.'),
  hs_pipeline_stage: recordField(
    'Stage of the ticket in the pipeline of the CRM, an integer or a text; the mapping says which are solved.',
  ),
});

export const crmDeal: Shape<JsonObject> = openObject({
  external_id,
  ...person,
  dealname: recordField('Name of the deal, which becomes that of the lead. Required.'),
  dealstage: recordField('Stage of the deal in the pipeline of the CRM, an integer or a text.'),
  cpf: recordField('CPF (Brazilian taxpayer number) of the person, with or without punctuation; 11 digits.'),
  date_of_birth: recordField('Date of birth of the person, YYYY-MM-DD.'),
  sexo: recordField('Sex of the person, in the words of the CRM.'),
  nome_da_m_e: recordField('Name of the person’s mother.'),
  cep: recordField('Postal code (CEP) of the address.'),
  rua: recordField('Street of the address.'),
  numero_endereco: recordField('House number of the address.'),
  complemento: recordField('Addition to the address, such as the flat.'),
  bairro: recordField('District of the address.'),
  cidade: recordField('City of the address.'),
  estado: recordField('State of the address.'),
  unidade: recordField('Campus or branch that the deal is for.'),
  tipo_ingresso: recordField('Way of admission, such as an entrance examination or a transfer.'),
  local_da_prova: recordField('Place of the entrance examination.'),
  modalidade_de_ensino: recordField('Mode of study, such as in person or remote.'),
  generalinstructions: recordField('Notes on the deal.'),
});

/** Each project agrees on its own fields. */
export const crmObject: Shape<JsonObject> = openObject({
  external_id: recordField(
    'Id of the record in the CRM: an integer, or its digits. The same id is the same record.',
  ),
  email: recordField(
    'E-mail address of the person, where the mapping of the host has it; finds the contact.',
  ),
});
