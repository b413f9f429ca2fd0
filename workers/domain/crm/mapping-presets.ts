import type { MappingFile } from './mapping-file.ts';

/*
 * Starting points for the webhooks of common CRMs, which a person adapts to their own fields.
 */

/** RD Station Marketing sends one contact, or, in its older kind of webhook, a list of leads. */
const rdstation: MappingFile = {
  target: 'lead',
  records: ['contact', 'leads'],
  fields: {
    uuid: 'external_id',
    email: 'email',
    name: 'firstname',
    mobile_phone: 'mobilephone',
    personal_phone: { to: 'mobilephone', after: 'mobile_phone' },
    city: 'cidade',
    state: 'estado',
    'funnel.lifecycle_stage': 'stage',
  },
  required: ['uuid', ['email', 'mobile_phone', 'personal_phone']],
};

/** Pipedrive's webhooks of version 2, for deals or persons. */
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

/** HubSpot's events about a changed property of a contact. */
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
