import { MAX_BODY_BYTES } from '../body-limit.ts';
import { anyValue, dateTime, field, list, mapOf, nullable, object, oneOf, uuid } from '../shape.ts';
import { CONTACT_ID, LEAD_ID, TICKET_ID } from './example-ids.ts';
import { createdAt, longText, updatedAt } from './fields.ts';

/** Fields of stored CRM records, as their lists return them. */
export const interData = field(
  'Fields that are not in the mapping, stored unchanged.',
  list(
    object({
      field: field('Name of the field, as sent; its path, where the mapping has paths.', longText),
      value: field('Value of the field, of any JSON type.', anyValue()),
    }),
    { max: MAX_BODY_BYTES },
  ),
);

export const warnings = field(
  'Values that could not be stored as they were sent.',
  list(
    object({
      field: field('Name of the field that has the value.', longText),
      message: field('What is wrong with the value, which is in `interData` then.', longText),
    }),
    { max: MAX_BODY_BYTES },
  ),
);

const person = {
  contactId: field('Id of the contact; null if the record names no person.', nullable(uuid())),
  firstname: field('First name of the person; empty if unknown.', longText),
  lastname: field('Family name of the person; empty if unknown.', longText),
  email: field('E-mail address of the person; empty if unknown.', longText),
  mobilephone: field('Mobile phone of the person, as sent; empty if unknown.', longText),
  stage: field('Stage in the pipeline of the CRM; empty if unknown.', longText),
};
const ending = { interData, warnings, createdAt, updatedAt };

export const ticket = object({
  ticketId: field('Id of the ticket; the search returns it as `origin_id`.', uuid()),
  kind: field(
    'How it came: as a ticket or object of the CRM, or opened by the assistant.',
    oneOf('tickets', 'objects', 'assistant'),
  ),
  externalId: field('Id in the CRM; null if the assistant opened the ticket.', nullable(longText)),
  conversationId: field(
    'Id of the conversation in which the assistant opened it; null for a ticket of the CRM.',
    nullable(uuid()),
  ),
  subject: field('Subject of the ticket; may be empty.', longText),
  content: field('Message of the person, or description of the problem; may be empty.', longText),
  campus: field(
    'The fields of the ticket whose names begin with `campus_`, by name.',
    mapOf(longText, { max: MAX_BODY_BYTES }),
  ),
  openedAt: field('When it was opened, according to the CRM if that sent a time.', dateTime()),
  solvedAt: field('When its stage first was a solved one; null if it never was.', nullable(dateTime())),
  ...person,
  ...ending,
});

const unknown = 'empty if unknown.';
export const lead = object({
  leadId: field('Id of the lead; the search returns it as `origin_id`.', uuid()),
  kind: field('How it came: as a deal or an object of the CRM.', oneOf('deals', 'objects')),
  externalId: field('Id of the lead in the CRM.', longText),
  dealname: field(`Name of the deal; ${unknown}`, longText),
  cpf: field(`CPF of the person, eleven digits; ${unknown}`, longText),
  date_of_birth: field('Date of birth of the person, YYYY-MM-DD; null if unknown.', nullable(longText)),
  sexo: field(`Sex of the person, in the words of the CRM; ${unknown}`, longText),
  nome_da_m_e: field(`Name of the person’s mother; ${unknown}`, longText),
  cep: field(`Postal code (CEP) of the address; ${unknown}`, longText),
  rua: field(`Street of the address; ${unknown}`, longText),
  numero_endereco: field(`House number of the address; ${unknown}`, longText),
  complemento: field(`Second line of the address; ${unknown}`, longText),
  bairro: field(`District of the address; ${unknown}`, longText),
  cidade: field(`City of the address; ${unknown}`, longText),
  estado: field(`State of the address; ${unknown}`, longText),
  unidade: field(`Campus or branch of the deal; ${unknown}`, longText),
  tipo_ingresso: field(`Type of admission; ${unknown}`, longText),
  local_da_prova: field(`Place of the entrance examination; ${unknown}`, longText),
  modalidade_de_ensino: field(`Mode of study, such as in person or remote; ${unknown}`, longText),
  generalinstructions: field('Notes on the deal; may be empty.', longText),
  ...person,
  ...ending,
});

const examplePerson = {
  contactId: CONTACT_ID,
  firstname: 'Ana',
  lastname: 'Souza',
  email: 'ana@example.com',
  mobilephone: '+5511987654321',
};
const exampleTimes = { createdAt: '2026-03-02T14:05:31.220Z', updatedAt: '2026-03-02T14:05:31.220Z' };

export const exampleTicket = {
  ticketId: TICKET_ID,
  kind: 'tickets' as const,
  externalId: '4711',
  conversationId: null,
  subject: 'Segunda via do boleto',
  content: 'Não recebi o boleto deste mês.',
  campus: { campus_horizonte: 'Centro' },
  openedAt: '2026-03-02T14:05:00.000Z',
  solvedAt: null,
  ...examplePerson,
  stage: '1',
  interData: [{ field: 'canal', value: 'portal' }],
  warnings: [],
  ...exampleTimes,
};

export const exampleLead = {
  leadId: LEAD_ID,
  kind: 'deals' as const,
  externalId: '815',
  dealname: 'Ana Souza - Direito',
  cpf: '52998224725',
  date_of_birth: null,
  sexo: '',
  nome_da_m_e: '',
  cep: '',
  rua: '',
  numero_endereco: '',
  complemento: '',
  bairro: '',
  cidade: '',
  estado: '',
  unidade: 'Centro',
  tipo_ingresso: '',
  local_da_prova: '',
  modalidade_de_ensino: 'Presencial',
  generalinstructions: '',
  ...examplePerson,
  stage: '2',
  interData: [{ field: 'date_of_birth', value: '29/02/2005' }],
  warnings: [{ field: 'date_of_birth', message: 'is not a date of birth (YYYY-MM-DD)' }],
  ...exampleTimes,
};
