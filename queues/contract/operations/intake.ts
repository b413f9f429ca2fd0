import type { JsonObject } from '../../../platform/json-object.ts';
import { operation } from '../operation.ts';
import {
  anyValue,
  field,
  object,
  oneOf,
  openObject,
  optional,
  type Shape,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { CONTACT_ID, LEAD_ID, TICKET_ID } from './example-ids.ts';
import { longText } from './fields.ts';
import { interData } from './record-shape.ts';

/*
 * CRM records in the form of the default mapping; a host may have its own. The API accepts values of any type: the mapping
 * validates them later, and a record that fails validation is stored anyway.
 */

/** Text, or a number, which is converted to its digits. */
const recordField = (meaning: string) => field(meaning, optional(anyValue()));

const external_id = recordField(
  'Id of the record in the CRM: an integer or its digits. Required. Records with the same id are versions of one record.',
);
const createdate = recordField(
  'When the record was created in the CRM: milliseconds or seconds since 1970, ISO 8601 in either form, a PHP `DateTime`, or the day of a spreadsheet. When absent: the time of arrival.',
);
const person = {
  email: recordField(
    'E-mail address of the person; identifies the contact. Required if `mobilephone` is absent.',
  ),
  firstname: recordField('First name of the person.'),
  lastname: recordField('Family name of the person.'),
  mobilephone: recordField('Mobile phone in international format. Required if `email` is absent.'),
};

const crmTicket: Shape<JsonObject> = openObject({
  external_id,
  ...person,
  createdate,
  subject: recordField('Subject of the ticket.'),
  content: recordField('Message of the person, or description of the problem.'),
  hs_pipeline_stage: recordField(
    'Stage of the ticket in the pipeline of the CRM: an integer, or a text if the mapping of the host allows that; the mapping defines which stages count as solved.',
  ),
});

const crmDeal: Shape<JsonObject> = openObject({
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
const crmObject: Shape<JsonObject> = openObject({
  external_id: recordField(
    'Id of the record in the CRM: an integer or its digits. Records with the same id are versions of one record.',
  ),
  email: recordField(
    'E-mail address of the person, if the mapping of the host has it; identifies the contact.',
  ),
});

const CRM = '/api/integrations/crm/internal';
/** The CRM times out after 30 s, so it must get a response earlier. */
const TIME_LIMIT_MS = 24_000;

const intakeResult = object({
  entityData: field(
    'The lead or ticket that was stored for the record.',
    object({
      id: field('Id of the lead or ticket; the search returns it as `origin_id`.', uuid()),
      status: field(
        'Whether the lead or ticket was created, updated, or left unchanged.',
        oneOf('created', 'updated', 'unchanged'),
      ),
    }),
  ),
  contactData: field(
    'The contact of the record, found by e-mail or phone, or created.',
    object({
      id: field('Id of the contact; empty if the record names no person.', uuidOrEmpty()),
      email: field('E-mail address of the contact; empty if unknown.', longText),
    }),
  ),
  interData,
});

interface IntakeDeclaration {
  readonly summary: string;
  readonly description: string;
  readonly path: string;
  readonly record: Shape<JsonObject>;
  readonly body: JsonObject;
  readonly entityId: string;
  readonly extra: { readonly field: string; readonly value: unknown };
}

const rules =
  'Records are identified by external_id and can be sent repeatedly: the latest one is applied, an omitted field keeps its value, null or an empty text clears it. Fields that are not in the mapping are stored and returned in interData; an integer beyond 2^53 is converted to a text of its digits. Where the mapping of the host knows a list of records in the body, the answer is a line {code, message, data} for each of them. After a 503, send the record again.';

/** The three operations differ only in the mapping. */
function declareIntake({ summary, description, path, record, body, entityId, extra }: IntakeDeclaration) {
  return operation({
    effect: 'adds',
    summary,
    description: `${description} ${rules}`,
    queue: 'intake',
    tag: 'intake',
    method: 'POST',
    path: `${CRM}/${path}`,
    body: record,
    data: intakeResult,
    example: {
      body: { ...body, [extra.field]: extra.value },
      data: {
        entityData: { id: entityId, status: 'created' },
        contactData: { id: CONTACT_ID, email: 'ana@example.com' },
        interData: [extra],
      },
    },
    status: 200,
    responseForm: 'bare',
    timeLimitMs: TIME_LIMIT_MS,
    takesRecords: true,
    extras: ['source'],
    refusals: ['mapping-not-agreed'],
    scope: 'intake',
    hosts: 'one',
  });
}

export const receiveTicket = declareIntake({
  summary: 'Receive a ticket of the CRM',
  description: 'external_id (a whole number, or its digits) is required, and email or mobilephone.',
  path: 'tickets',
  record: crmTicket,
  body: {
    external_id: 4711,
    email: 'ana@example.com',
    firstname: 'Ana',
    lastname: 'Souza',
    mobilephone: '+5511987654321',
    subject: 'Segunda via do boleto',
    content: 'Não recebi o boleto deste mês.',
    createdate: 1_760_000_000_000,
    hs_pipeline_stage: 1,
    campus_horizonte: 'Centro',
  },
  entityId: TICKET_ID,
  extra: { field: 'canal', value: 'portal' },
});

export const receiveDeal = declareIntake({
  summary: 'Receive a deal of the CRM as a lead',
  description:
    'external_id (a whole number, or its digits) and dealname are required, and email or mobilephone.',
  path: 'deals',
  record: crmDeal,
  body: {
    external_id: 815,
    dealname: 'Ana Souza - Direito',
    email: 'ana@example.com',
    firstname: 'Ana',
    lastname: 'Souza',
    mobilephone: '+5511987654321',
    cpf: '529.982.247-25',
    date_of_birth: '2004-02-29',
    dealstage: 2,
    unidade: 'Centro',
    modalidade_de_ensino: 'Presencial',
  },
  entityId: LEAD_ID,
  extra: { field: 'utm_source', value: 'feira' },
});

export const receiveObject = declareIntake({
  summary: 'Receive a custom object of the CRM as a lead or ticket',
  description:
    'The mapping of the host defines the required fields; without a mapping the record is refused.',
  path: 'objects',
  record: crmObject,
  body: { external_id: 42, email: 'ana@example.com', curso: 'Direito' },
  entityId: LEAD_ID,
  extra: { field: 'turno', value: 'noite' },
});
