import { expect } from 'chai';
import { mapRecord } from '../../workers/domain/crm/field-mapping.ts';
import type { Mapping } from '../../workers/domain/crm/mapping.ts';
import { parseMapping } from '../../workers/domain/crm/mapping-file.ts';
import { mappingPresets } from '../../workers/domain/crm/mapping-presets.ts';
import { listRecords } from '../../workers/domain/crm/record-fields.ts';

const at = { now: new Date('2026-11-28T12:00:00Z'), timeZone: 'America/Sao_Paulo' };

describe('the mapping that is shipped for a CRM', () => {
  it('takes the contact of a webhook of RD Station, and keeps what is in it and around it', () => {
    const [contact] = mappedBy('rdstation', {
      event_type: 'WEBHOOK.CONVERTED',
      entity_type: 'CONTACT',
      event_identifier: 'inscricao',
      event_timestamp: '2026-11-28T09:00:00.000-03:00',
      contact: {
        uuid: 'c2f3d2b3-7250-4d27-97f4-eef38be32f7f',
        email: 'ana@example.com',
        name: 'Ana Souza',
        mobile_phone: '48 99123-4567',
        personal_phone: null,
        city: 'Florianópolis',
        cf_curso: ['Direito'],
        company: { name: 'Exemplo' },
        funnel: { name: 'default', lifecycle_stage: 'Lead', opportunity: false },
      },
    });
    expect(contact).to.deep.equal({
      values: {
        external_id: 'c2f3d2b3-7250-4d27-97f4-eef38be32f7f',
        email: 'ana@example.com',
        firstname: 'Ana Souza',
        mobilephone: '48 99123-4567',
        cidade: 'Florianópolis',
        stage: 'Lead',
      },
      inter: {
        cf_curso: ['Direito'],
        company: { name: 'Exemplo' },
        'funnel.name': 'default',
        'funnel.opportunity': false,
        event_type: 'WEBHOOK.CONVERTED',
        entity_type: 'CONTACT',
        event_identifier: 'inscricao',
        event_timestamp: '2026-11-28T09:00:00.000-03:00',
      },
      wrong: [],
      warnings: [],
    });
  });

  it('takes the other phone of RD Station where the mobile one has none that can be read', () => {
    const phoneOf = (phones: object) => mappedBy('rdstation', { contact: { uuid: 'u', ...phones } })[0];
    const personal_phone = '48 3333-2222';
    for (const mobile of [{}, { mobile_phone: null }, { mobile_phone: '' }])
      expect(phoneOf({ personal_phone, ...mobile })).to.deep.include({
        values: { external_id: 'u', mobilephone: personal_phone },
        inter: {},
        wrong: [],
      });
    const broken = phoneOf({ personal_phone, mobile_phone: 'não tem' });
    expect(broken?.values).to.include({ mobilephone: personal_phone });
    expect(broken?.warnings.map(({ field }) => field)).to.deep.equal(['mobile_phone']);
    const both = phoneOf({ personal_phone, mobile_phone: '48 99123-4567' });
    expect(both?.values).to.include({ mobilephone: '48 99123-4567' });
    expect(both?.inter).to.deep.equal({ personal_phone });
    expect(phoneOf({})?.wrong).to.deep.equal([['email', 'mobile_phone', 'personal_phone']]);
  });

  it('takes each lead of the older webhooks of RD Station', () => {
    const leads = ['ana', 'bia'].map((name, index) => ({
      id: String(index),
      uuid: `c2f3d2b3-7250-4d27-97f4-eef38be32f7${index}`,
      email: `${name}@example.com`,
      name,
      mobile_phone: null,
      created_at: '2012-06-04T15:31:35-03:00',
      last_conversion: { content: { identificador: 'webinar' }, source: 'source 2' },
      tags: ['tag 1'],
    }));
    const mapped = mappedBy('rdstation', { leads });
    expect(mapped.map(({ values }) => values['email'])).to.deep.equal(['ana@example.com', 'bia@example.com']);
    expect(mapped.map(({ wrong }) => wrong)).to.deep.equal([[], []]);
    expect(mapped[1]?.inter).to.deep.include({ id: '1', last_conversion: leads[1]?.last_conversion });
  });

  it('takes deals and persons of Pipedrive', () => {
    const meta = { action: 'change', entity: 'deal', entity_id: '7', timestamp: '2026-11-28T13:00:00.000Z' };
    const data = { id: 7, title: 'Direito', stage_id: 3, person_id: 5, custom_fields: { abc: null } };
    const [deal] = mappedBy('pipedrive', { meta, data, previous: { stage_id: 2 } });
    expect(deal).to.deep.equal({
      values: { external_id: '7', dealname: 'Direito', stage: '3' },
      inter: { meta, 'data.person_id': 5, 'data.custom_fields': { abc: null }, previous: { stage_id: 2 } },
      wrong: [],
      warnings: [],
    });
    const emails = ['ana@example.com', 'a@example.com'].map(value => ({
      label: 'work',
      value,
      primary: true,
    }));
    const phones = [{ label: 'mobile', value: '+55 11 98765-4321', primary: true }];
    const person = { id: 5, first_name: 'Ana', last_name: 'Souza', emails, phones };
    const [mapped] = mappedBy('pipedrive', { meta, data: person, previous: null });
    expect(mapped?.values).to.include({ external_id: '5', firstname: 'Ana', lastname: 'Souza' });
    expect(mapped?.values).to.include({ email: 'ana@example.com', mobilephone: '+55 11 98765-4321' });
    expect(mapped?.inter).to.deep.include({ 'data.emails.0.label': 'work', 'data.emails.1': emails[1] });
  });

  it('takes the changed property of an event of HubSpot for the field that it is', () => {
    const event = {
      eventId: 100,
      subscriptionType: 'contact.propertyChange',
      objectId: 4,
      occurredAt: 1_795_828_969_568,
    };
    const [email] = mappedBy('hubspot', {
      ...event,
      propertyName: 'email',
      propertyValue: 'ana@example.com',
    });
    expect(email).to.deep.equal({
      values: { external_id: '4', email: 'ana@example.com' },
      inter: { eventId: 100, subscriptionType: 'contact.propertyChange', occurredAt: event.occurredAt },
      wrong: [],
      warnings: [],
    });
    const [other] = mappedBy('hubspot', { ...event, propertyName: 'curso', propertyValue: 'Direito' });
    expect(other?.inter).to.include({ curso: 'Direito' });
  });
});

/** Maps each record of a body in the form that the provider documents. */
function mappedBy(preset: keyof typeof mappingPresets, body: object) {
  const { mapping, errors } = parseMapping('objects', mappingPresets[preset]);
  if (!mapping) throw new Error(JSON.stringify(errors));
  const bodies = listRecords(body, mapping)?.bodies ?? [body];
  return bodies.map(each => recordOf(each ?? {}, mapping));
}

function recordOf(body: object, mapping: Mapping) {
  const { record, errors, missing } = mapRecord(body, mapping, at);
  const values = Object.fromEntries(Object.entries(record.values).filter(([, value]) => value !== ''));
  const inter = Object.fromEntries(record.inter.map(({ field, value }) => [field, value]));
  return { values, inter, wrong: [...errors, ...missing], warnings: record.warnings };
}
