import { LARGEST_BODY, operation } from '../operation.ts';
import {
  anyValue,
  field,
  type JsonObject,
  list,
  object,
  oneOf,
  type Shape,
  uuid,
  uuidOrEmpty,
} from '../shape.ts';
import { crmDeal, crmObject, crmTicket } from './crm-records.ts';
import { CONTACT_ID, LEAD_ID, TICKET_ID } from './example-ids.ts';
import { longText } from './fields.ts';

const CRM = '/api/integrations/crm/internal';
/** A workflow waits half a minute; it shall hear of us before that. */
const DEADLINE_MS = 24_000;

const intakeResult = object({
  entityData: field(
    'The lead or ticket that the record became.',
    object({
      id: field('Id of the lead or ticket; the search gives it as `origin_id`.', uuid()),
      status: field(
        'Whether the record was new, changed what was there, or said nothing new.',
        oneOf('created', 'updated', 'unchanged'),
      ),
    }),
  ),
  contactData: field(
    'The person whom the record is about, found by e-mail or phone, or made.',
    object({
      id: field('Id of the contact; empty where the record names nobody.', uuidOrEmpty()),
      email: field('E-mail address of the contact; empty where none is known.', longText),
    }),
  ),
  interData: field(
    'The fields beyond the agreed ones, which are kept as they came.',
    list(
      object({
        field: field('Name of the field, as it was sent.', longText),
        value: field('Its value, of any JSON type.', anyValue()),
      }),
      { max: LARGEST_BODY },
    ),
  ),
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
  'The same record, by its external_id, may come as often as it likes: the latest arrival stands, a field that it leaves out keeps its value, null or an empty text empties it. Fields beyond the agreed ones are kept and answered in interData; a whole number beyond 2^53 becomes the text of its digits. A 503 asks for the record again.';

/** One path for all that a CRM sends: only the mapping differs. */
function intake({ summary, description, path, record, body, entityId, extra }: IntakeDeclaration) {
  return operation({
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
    answer: 'bare',
    deadlineMs: DEADLINE_MS,
    takesRecords: true,
    refusals: ['mapping-not-agreed'],
    scope: 'intake',
    hosts: 'one',
  });
}

export const receiveTicket = intake({
  summary: 'A ticket of the CRM',
  description: 'Needs external_id, and email or mobilephone.',
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

export const receiveDeal = intake({
  summary: 'A deal of the CRM: a lead here',
  description: 'Needs external_id, dealname, and email or mobilephone.',
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

export const receiveObject = intake({
  summary: 'An object of the CRM that a project has agreed on: a lead or a ticket here',
  description: 'Needs what the mapping of the host says; without one it is refused.',
  path: 'objects',
  record: crmObject,
  body: { external_id: 42, email: 'ana@example.com', curso: 'Direito' },
  entityId: LEAD_ID,
  extra: { field: 'turno', value: 'noite' },
});
