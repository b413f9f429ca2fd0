import { anything, field, type JsonObject, openObject, optional, type Shape } from '../shape.ts';

/*
 * The records of a CRM, as they are agreed unless a host has a mapping of its own. The door refuses none for the type
 * of a value: what a field may hold is the mapping's business, and a record that breaks it is kept all the same.
 */

/** A field of a record: text, or a number, which is taken as its digits. */
const given = (meaning: string) => field(meaning, optional(anything()));

const external_id = given(
  'Id of the record in the CRM: an integer, or its digits. Required. The same id is the same record.',
);
const createdate = given(
  'When the record was created in the CRM: milliseconds or seconds since 1970, or ISO 8601. When absent: its arrival.',
);
const person = {
  email: given('E-mail address of the person; finds the contact. Required where `mobilephone` is absent.'),
  firstname: given('First name of the person.'),
  lastname: given('Family name of the person.'),
  mobilephone: given('Mobile phone in international format. Required where `email` is absent.'),
};

export const crmTicket: Shape<JsonObject> = openObject({
  external_id,
  ...person,
  createdate,
  subject: given('What the ticket is about, in a line.'),
  content: given('What the person wrote, or what is wrong.'),
  hs_pipeline_stage: given(
    'Stage of the ticket in the pipeline of the CRM, an integer or a text; the mapping says which are solved.',
  ),
});

export const crmDeal: Shape<JsonObject> = openObject({
  external_id,
  ...person,
  dealname: given('Name of the deal, which becomes that of the lead. Required.'),
  dealstage: given('Stage of the deal in the pipeline of the CRM, an integer or a text.'),
  cpf: given('CPF (Brazilian taxpayer number) of the person, with or without punctuation; 11 digits.'),
  date_of_birth: given('Date of birth of the person, YYYY-MM-DD.'),
  sexo: given('Sex of the person, in the words of the CRM.'),
  nome_da_m_e: given('Name of the person’s mother.'),
  cep: given('Postal code (CEP) of the address.'),
  rua: given('Street of the address.'),
  numero_endereco: given('House number of the address.'),
  complemento: given('Addition to the address, such as the flat.'),
  bairro: given('District of the address.'),
  cidade: given('City of the address.'),
  estado: given('State of the address.'),
  unidade: given('Campus or branch that the deal is for.'),
  tipo_ingresso: given('Way of admission, such as an entrance examination or a transfer.'),
  local_da_prova: given('Place of the entrance examination.'),
  modalidade_de_ensino: given('Mode of study, such as in person or remote.'),
  generalinstructions: given('Notes on the deal.'),
});

/** Each project agrees on its own fields. */
export const crmObject: Shape<JsonObject> = openObject({
  external_id: given(
    'Id of the record in the CRM: an integer, or its digits. The same id is the same record.',
  ),
  email: given('E-mail address of the person, where the mapping of the host has it; finds the contact.'),
});
