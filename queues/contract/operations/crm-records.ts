import type { JsonObject } from '../../../platform/json-object.ts';
import { anyValue, field, openObject, optional, type Shape } from '../shape.ts';

/*
 * CRM records with the default mapping; a host may have its own. The API accepts values of any type: the mapping
 * validates them later, and a record that fails validation is stored anyway.
 */

/** Text, or a number, which is converted to its digits. */
const recordField = (meaning: string) => field(meaning, optional(anyValue()));

const external_id = recordField(
  'Id of the record in the CRM: an integer or its digits. Required. Records with the same id are versions of one record.',
);
const createdate = recordField(
  'When the record was created in the CRM: milliseconds or seconds since 1970, or ISO 8601. When absent: the time of arrival.',
);
const person = {
  email: recordField(
    'E-mail address of the person; identifies the contact. Required if `mobilephone` is absent.',
  ),
  firstname: recordField('First name of the person.'),
  lastname: recordField('Family name of the person.'),
  mobilephone: recordField('Mobile phone in international format. Required if `email` is absent.'),
};

export const crmTicket: Shape<JsonObject> = openObject({
  external_id,
  ...person,
  createdate,
  subject: recordField('Subject of the ticket.'),
  content: recordField('Message of the person, or description of the problem.'),
  hs_pipeline_stage: recordField(
    'Stage of the ticket in the pipeline of the CRM: an integer, or a text if the mapping of the host allows that; the mapping defines which stages count as solved.',
  ),
});

export const crmDeal: Shape<JsonObject> = openObject({
  external_id,
  ...person,
  dealname: recordField('Name of the deal, used as the name of the lead. Required.'),
  dealstage: recordField(
    'Stage of the deal in the pipeline of the CRM: an integer, or a text if the mapping of the host allows that.',
  ),
  cpf: recordField('CPF (Brazilian taxpayer number) of the person, with or without punctuation; 11 digits.'),
  date_of_birth: recordField('Date of birth of the person, YYYY-MM-DD.'),
  sexo: recordField('Sex of the person, in the words of the CRM.'),
  nome_da_m_e: recordField('Name of the person’s mother.'),
  cep: recordField('Postal code (CEP) of the address.'),
  rua: recordField('Street of the address.'),
  numero_endereco: recordField('House number of the address.'),
  complemento: recordField('Second line of the address, such as the flat.'),
  bairro: recordField('District of the address.'),
  cidade: recordField('City of the address.'),
  estado: recordField('State of the address.'),
  unidade: recordField('Campus or branch of the deal.'),
  tipo_ingresso: recordField('Type of admission, such as an entrance examination or a transfer.'),
  local_da_prova: recordField('Place of the entrance examination.'),
  modalidade_de_ensino: recordField('Mode of study, such as in person or remote.'),
  generalinstructions: recordField('Notes on the deal.'),
});

/** The other fields are defined by the mapping of the host. */
export const crmObject: Shape<JsonObject> = openObject({
  external_id: recordField(
    'Id of the record in the CRM: an integer or its digits. Records with the same id are versions of one record.',
  ),
  email: recordField(
    'E-mail address of the person, if the mapping of the host has it; identifies the contact.',
  ),
});
