import type { MappingFile } from '../workers/domain/crm/mapping-file.ts';

/* Mappings for the webhooks of CRMs as they come, to begin with: `mapping show` prints one as a file, for the fields of one's own. */

/** The webhooks of RD Station Marketing: one contact, or, of the older kind, a list of leads. */
const rdstation: MappingFile = {
  target: 'lead',
  records: ['contact', 'leads'],
  fields: {
    uuid: 'external_id',
    email: 'email',
    name: 'firstname',
    mobile_phone: 'mobilephone',
    city: 'cidade',
    state: 'estado',
    'funnel.lifecycle_stage': 'stage',
  },
  required: ['uuid', ['email', 'mobile_phone']],
};

/** The webhooks of Pipedrive, version 2, of deals or of persons. */
const pipedrive: MappingFile = {
  target: 'lead',
  fields: {
    'data.id': 'external_id',
    'data.title': 'dealname',
    'data.stage_id': 'stage',
    'data.first_name': 'firstname',
    'data.last_name': 'lastname',
    'data.emails.0.value': 'email',
    'data.phones.0.value': 'mobilephone',
  },
  required: ['data.id'],
};

/** The events of HubSpot that tell a changed property of a contact. */
const hubspot: MappingFile = {
  target: 'lead',
  fields: {
    objectId: 'external_id',
    firstname: 'firstname',
    lastname: 'lastname',
    email: 'email',
    mobilephone: 'mobilephone',
    lifecyclestage: 'stage',
    address: 'rua',
    city: 'cidade',
    state: 'estado',
    zip: 'cep',
    date_of_birth: 'date_of_birth',
  },
  required: ['objectId'],
};

export const mappingPresets = { rdstation, pipedrive, hubspot };
