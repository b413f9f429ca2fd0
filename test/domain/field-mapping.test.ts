import { expect } from 'chai';
import * as fc from 'fast-check';
import { e164Of } from '../../text/phone.ts';
import { mapRecord, missingFieldErrorsOf, targetOf } from '../../workers/domain/crm/field-mapping.ts';
import { defaultMappings, type Mapping } from '../../workers/domain/crm/mapping.ts';
import { anyCharacter } from '../support/any-character.ts';

const at = { now: new Date('2026-11-20T12:00:00Z'), timeZone: 'America/Sao_Paulo' };
const deals = defaultMappings.deals as Mapping;
const tickets = defaultMappings.tickets as Mapping;
const deal = { external_id: 1, dealname: 'Ana', email: 'ana@example.com' };
const mapped = (body: object, mapping = deals) => {
  const { record, errors, missing } = mapRecord(body, mapping, at);
  if (errors.length + missing.length > 0) throw new Error(JSON.stringify({ errors, missing }));
  return record;
};
const wrongIn = (body: object, mapping = deals) => {
  const { errors, missing } = mapRecord(body, mapping, at);
  return [...missingFieldErrorsOf(missing), ...errors].map(({ path }) => path);
};

describe('the mapping of a record', () => {
  it('puts each field where it was agreed, and keeps the rest in the order in which it came', () => {
    const { values, inter } = mapped({ b: 1, ...deal, dealstage: '007', a: { c: null }, '': [] });
    expect(values).to.include({
      external_id: '1',
      dealname: 'Ana',
      email: 'ana@example.com',
      stage: '7',
      cpf: '',
    });
    expect(inter).to.deep.equal([
      { field: 'b', value: 1 },
      { field: 'a', value: { c: null } },
      { field: '', value: [] },
    ]);
  });

  it('names every field that is missing or wrong', () => {
    expect(wrongIn({})).to.deep.equal(['external_id', 'email', 'mobilephone', 'dealname']);
    expect(wrongIn({ ...deal, email: ' ', mobilephone: null })).to.deep.equal(['email', 'mobilephone']);
    const wrong = { ...deal, external_id: 1.5, dealstage: 'x', firstname: true, cep: {}, rua: [] };
    expect(wrongIn(wrong)).to.have.members(['external_id', 'dealstage', 'firstname', 'cep', 'rua']);
    const ticket = { external_id: '12a', email: 'a@b.c', campus_x: false };
    expect(wrongIn(ticket, tickets)).to.have.members(['external_id', 'campus_x']);
  });

  it('tells integers from digits to the last one', () => {
    expect(mapped({ ...deal, external_id: ' 00900719925474099312 ' }).values['external_id']).to.equal(
      '900719925474099312',
    );
  });

  it('takes a number for its digits wherever a text is agreed', () => {
    const { values, warnings } = mapped({
      ...deal,
      firstname: 7,
      numero_endereco: 1_200,
      complemento: 12.5,
      cep: 66_040_100,
      mobilephone: 5_511_987_654_321,
      cpf: 52_998_224_725,
    });
    expect(values).to.include({
      firstname: '7',
      numero_endereco: '1200',
      complemento: '12.5',
      cep: '66040100',
      mobilephone: '5511987654321',
      cpf: '52998224725',
    });
    expect(warnings).to.deep.equal([]);
    expect(mapped({ ...deal, campus_1: 3 }, tickets).campus).to.deep.equal({ campus_1: '3' });
  });

  it('puts back the zeros that a CEP or a CPF lost as a number, and warns of it', () => {
    const { values, warnings } = mapped({ ...deal, cep: 1_310_100, cpf: 191 });
    expect(values).to.include({ cep: '01310100', cpf: '00000000191' });
    expect(warnings.map(({ field }) => field)).to.deep.equal(['cep', 'cpf']);
    expect(mapped({ ...deal, cep: '1310100', cpf: 192 }).values).to.include({ cep: '1310100', cpf: '' });
    expect(mapped({ ...deal, cep: 12 })).to.deep.include({ warnings: [] });
    expect(mapped({ ...deal, cpf: '1234567890' })).to.have.nested.include({ 'values.cpf': '01234567890' });
    expect(mapped({ ...deal, cpf: '52998224725.0' })).to.have.nested.include({ 'values.cpf': '52998224725' });
  });

  it('understands when a ticket was opened, in milliseconds, seconds or ISO 8601', () => {
    const openedAt = (createdate: unknown) => {
      const { values, warnings } = mapped({ ...deal, createdate }, tickets);
      return [values['opened_at'], warnings.length];
    };
    const noon = '2025-10-09T08:53:20.000Z';
    for (const same of [
      1_760_000_000_000,
      '1760000000000',
      noon,
      '2025-10-09T05:53:20-03:00',
      '2025-10-09 05:53:20',
      '2025-10-09 05:53:20-03',
      '2025-10-09T08:53:20.000+00',
    ])
      expect(openedAt(same), String(same)).to.deep.equal([noon, 0]);
    for (const seconds of [1_760_000_000, '1760000000', 1_760_000_000.4]) {
      const [time, warnings] = openedAt(seconds);
      expect([String(time).slice(0, 19), warnings], String(seconds)).to.deep.equal([noon.slice(0, 19), 1]);
    }
    for (const day of ['2025-10-09', '20251009', 20_251_009])
      expect(openedAt(day), String(day)).to.deep.equal(['2025-10-09T03:00:00.000Z', 0]);
    expect(openedAt('09/10/2025 05:53:20')).to.deep.equal([noon, 1]);
    expect(openedAt('2025-10-09 08:53:20 UTC')).to.deep.equal([noon, 0]);
    for (const day of [45_939.245_37, '45939.245370', '45939,24537'])
      expect(openedAt(day), String(day)).to.deep.equal(['2025-10-09T08:53:19.968Z', 1]);
    for (const same of [
      '20251009T085320Z',
      '20251009T055320-0300',
      '20251009055320',
      '2025-10-09T08:53:20,000Z',
    ])
      expect(openedAt(same), same).to.deep.equal([noon, 0]);
    const php = (date: string, timezone: unknown) => ({ date, timezone_type: 3, timezone });
    for (const same of [
      php('2025-10-09 05:53:20.000000', 'America/Sao_Paulo'),
      php('2025-10-09 05:53:20.000000', '-03:00'),
      php('2025-10-09 08:53:20.000000', 'utc'),
    ])
      expect(openedAt(same), JSON.stringify(same)).to.deep.equal([noon, 0]);
    for (const none of [
      php('2025-10-09 05:53:20', 'Nowhere/Town'),
      php('', 'UTC'),
      php('2025-10-09', 3),
      2_025,
      99_999,
      '20251009995320',
    ])
      expect(openedAt(none), JSON.stringify(none)).to.deep.equal(['', 1]);
    for (const createdate of ['2025-02-30', 'ontem', '10/30/2025', -1, 1e18, true, {}, '1'.repeat(5_000)])
      expect(mapped({ ...deal, createdate }, tickets).warnings, JSON.stringify(createdate)).to.have.length(1);
  });

  it('keeps a ticket whose time of opening cannot be read, with the time beside its columns and a warning', () => {
    const { values, inter, warnings } = mapped({ ...deal, createdate: 'ontem' }, tickets);
    expect(values['opened_at']).to.equal('');
    expect(inter).to.deep.include({ field: 'createdate', value: 'ontem' });
    expect(warnings.map(({ field }) => field)).to.deep.equal(['createdate']);
  });

  it('reads what spreadsheets, CRMs and channels hand over as phone and e-mail', () => {
    const phones = [
      '5511987654321.0',
      '005511987654321',
      '0 15 11 98765-4321',
      '5511987654321:12',
      '+55 0 21 11 98765-4321',
      'tel:+55-11-98765-4321;ext=12',
      '(11) 98765-4321 ramal 203',
    ];
    for (const mobilephone of phones) {
      const { values, warnings } = mapped({ ...deal, mobilephone });
      expect([e164Of(values['mobilephone']), warnings], mobilephone).to.deep.equal(['+5511987654321', []]);
    }
    // biome-ignore format: a list
    const emails = [
      'mailto:ana@exemplo.br?subject=a', 'Ana <ana@exemplo.br>', 'ana@exemplo.br;', "'ana@exemplo.br'",
      '<ana@exemplo.br>; ', 'ana@exemplo.br <mailto:ana@exemplo.br?subject=a>', '"ana@exemplo.br" <ana@exemplo.br>', '\u200bana@exemplo.br',
    ];
    for (const email of emails)
      expect(mapped({ ...deal, email }), email)
        .to.deep.include({ warnings: [] })
        .and.have.nested.include({ 'values.email': 'ana@exemplo.br' });
    for (const [field, value] of [
      ['mobilephone', '5,51198765E+12'],
      ['mobilephone', '120363041234567890@g.us'],
      ['mobilephone', '123456789012345@lid'],
      ['email', 'ana silva@b.br'],
      ['email', 'ana@b,br'],
      ['email', 'ana@b.com,br'],
      ['email', 'ana@b,br, bia@c,br'],
      ['email', '@; @'],
    ] as const) {
      const { values, warnings } = mapped({ ...deal, [field]: value });
      expect([values[field], warnings.map(each => each.field)], value).to.deep.equal(['', [field]]);
    }
  });

  it('takes the first of several phones or e-mails in a field, and keeps the field beside the columns', () => {
    const first = {
      mobilephone: [
        ['(11) 98765-4321 / (11) 3333-4444', '(11) 98765-4321'],
        ['11 98765-4321 ramal 203 ou 11 3333-4444', '11 98765-4321'],
        ['(11) 3333-4444/4445', '(11) 3333-4444'],
        ['0000; 11987654321', '11987654321'],
        ['+55 11 98765-4321 +55 11 3333-4444', '+55 11 98765-4321'],
        ['98765-4321 3333-4444', '98765-4321'],
        ['3333-4444 / 3333-5555', '3333-4444'],
        ['+1 (415) 555-2671 / +1 (415) 555-2672', '+1 (415) 555-2671'],
        ['Cel: 11 98765-4321 - Res: 11 3333-4444', 'Cel: 11 98765-4321'],
      ],
      email: [
        ['a@b.br; c@d.br', 'a@b.br'],
        ['Ana <a@b.br>, Bia <c@d.br>', 'a@b.br'],
        ['<a@b.br>;<c@d.br>', 'a@b.br'],
        ['a@b.br <c@d.br>', 'a@b.br'],
        ['a@b.br / c@d.br', 'a@b.br'],
        ['a@b.br, e@f.br; c@d.br', 'a@b.br'],
        ['ana silva@b.br; c@d.br', 'c@d.br'],
        ['ana@b,br ou c@d.br', 'c@d.br'],
      ],
    };
    for (const [field, cases] of Object.entries(first))
      for (const [sent, one] of cases) {
        const { values, inter, warnings } = mapped({ ...deal, [field]: sent });
        expect(values[field], sent).to.equal(one);
        expect(inter).to.deep.include({ field, value: sent });
        expect(warnings).to.deep.include({ field, message: 'held several; the first was taken' });
      }
    for (const whole of ['11/98765-4321', '+55 (11) 98765-4321', '+1 (415) 555-2671', '11 98765 - 4321'])
      expect(mapped({ ...deal, mobilephone: whole }), whole)
        .to.deep.include({ warnings: [] })
        .and.have.nested.include({ 'values.mobilephone': whole });
  });

  it('reads a whole number with the fraction that a spreadsheet gave it, and no thousands', () => {
    for (const external_id of ['4711.0', '4711,00', ' 4711.000 '])
      expect(mapped({ ...deal, external_id })).to.have.nested.include({ 'values.external_id': '4711' });
    for (const external_id of ['4.711', '4.000', '4711.5', '4711.'])
      expect(wrongIn({ ...deal, external_id })).to.deep.equal(['external_id']);
  });

  it('keeps a record whose CPF, phone, e-mail or date of birth is none, and says so', () => {
    const bad = { cpf: '1', mobilephone: '12', email: 'nobody', date_of_birth: '2001-02-29' };
    const { values, inter, warnings } = mapped({ ...deal, ...bad });
    expect(Object.keys(bad).map(field => values[field])).to.deep.equal(['', '', '', '']);
    expect(Object.fromEntries(inter.map(({ field, value }) => [field, value]))).to.deep.equal(bad);
    expect(warnings.map(({ field }) => field)).to.have.members(Object.keys(bad));
    for (const email of [5, true, {}, 'a@b c', '@'])
      expect(mapped({ ...deal, email }).warnings.map(({ field }) => field)).to.deep.equal(['email']);
    for (const date_of_birth of ['2999-01-01', '1899-12-31', '2001-1-1', 5, '2026-11-21'])
      expect(mapped({ ...deal, date_of_birth }).values['date_of_birth'], String(date_of_birth)).to.equal('');
    const days = {
      '2004-02-29T00:00:00.000Z': '2004-02-29',
      '29/02/2004': '2004-02-29',
      '1900-01-01 00:00:00-03': '1900-01-01',
      '1078012800000': '2004-02-29',
      '-315619200000': '1960-01-01',
      '38046': '2004-02-29',
      '20040229T000000Z': '2004-02-29',
    };
    for (const [date_of_birth, day] of Object.entries({ '2004-02-29': '2004-02-29', ...days }))
      expect(mapped({ ...deal, date_of_birth }).values['date_of_birth'], date_of_birth).to.equal(day);
    for (const date_of_birth of ['29/02/2001', '02/29/2004', '29/02/04'])
      expect(mapped({ ...deal, date_of_birth }).values['date_of_birth'], date_of_birth).to.equal('');
  });

  it('reads no value that is too long for its format, and keeps every text', () => {
    const long = (text: string) => `${text}${' '.repeat(1_000)}`;
    const few = {
      email: 'a@b.br',
      mobilephone: '11 98765-4321',
      cpf: '529.982.247-25',
      date_of_birth: '2004-02-29',
    };
    const sent = Object.fromEntries(Object.entries(few).map(([field, text]) => [field, long(text)]));
    const { warnings, inter } = mapped({ ...deal, ...sent });
    expect(warnings.map(({ field }) => field)).to.have.members(Object.keys(few));
    expect(Object.fromEntries(inter.map(({ field, value }) => [field, value]))).to.deep.equal(sent);
    const ticket = { external_id: 1, email: 'a@b.br', createdate: long('2026-11-20') };
    expect(mapped(ticket, tickets).values['opened_at']).to.equal('');
    expect(wrongIn({ ...deal, external_id: long('7') })).to.deep.equal(['external_id']);
    const texts = { rua: long('Rua A'), cep: long('01310-100') };
    expect(mapped({ ...deal, ...texts }).values).to.include(texts);
  });

  it('takes every campus field of a ticket, and of no deal', () => {
    const record = { ...deal, campus_a: 'Centro', campus_: 'x' };
    expect(mapped(record, tickets).campus).to.deep.equal({ campus_a: 'Centro', campus_: 'x' });
    expect(mapped(record).inter.map(({ field }) => field)).to.deep.equal(['campus_a', 'campus_']);
  });

  it('takes names of an object’s own machinery for data', () => {
    const body = JSON.parse(
      `{"__proto__":{"x":1},"constructor":2,"toString":"t","hasOwnProperty":0,${JSON.stringify(deal).slice(1)}`,
    );
    const { inter, values } = mapped(body);
    expect(inter.map(({ field }) => field)).to.deep.equal([
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
    ]);
    expect(values['external_id']).to.equal('1');
    expect(({} as Record<string, unknown>)['x']).to.equal(undefined);
  });

  it('replaces what cannot be stored, and warns of it', () => {
    const { inter, values, warnings } = mapped({
      ...deal,
      dealname: 'a\0b',
      'n\ud800': ['\udc00', { 'k\0': '🙂' }],
    });
    expect(values['dealname']).to.equal('a\uFFFDb');
    expect(inter).to.deep.equal([{ field: 'n\uFFFD', value: ['\uFFFD', { 'k\uFFFD': '🙂' }] }]);
    expect(warnings.map(({ field }) => field)).to.deep.equal(['dealname', 'n\uFFFD']);
  });

  it('loses no field, whatever it is called', () => {
    const extras = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue(), { maxKeys: 20 });
    fc.assert(
      fc.property(extras, extra => {
        const own = Object.entries(extra).filter(([name]) => !targetOf(name, deals));
        expect(mapped({ ...Object.fromEntries(own), ...deal }).inter).to.have.length(own.length);
      }),
      { numRuns: process.env['RUNS'] ? 100 : 30 },
    );
  });
});

describe('a mapping whose names are paths', () => {
  const nested: Mapping = {
    ...deals,
    fields: {
      'contact.uuid': { to: 'external_id' },
      'contact.name.first': { to: 'firstname' },
      'emails.0.value': { to: 'email' },
    },
    required: [['contact.uuid']],
  };

  it('takes fields of objects and of lists, and keeps by its path what else is in them', () => {
    const { values, inter } = mapped(
      {
        contact: { uuid: 'u1', name: { first: 'Ana', last: 'Souza' }, tags: [1], 'a.b': 2 },
        emails: [{ value: 'ana@example.com', label: 'x' }, 7],
        other: { uuid: 3 },
      },
      nested,
    );
    expect(values).to.include({ external_id: 'u1', firstname: 'Ana', email: 'ana@example.com' });
    expect(inter).to.deep.equal([
      { field: 'contact.name.last', value: 'Souza' },
      { field: 'contact.tags', value: [1] },
      { field: 'contact.a.b', value: 2 },
      { field: 'emails.0.label', value: 'x' },
      { field: 'emails.1', value: 7 },
      { field: 'other', value: { uuid: 3 } },
    ]);
    expect(wrongIn({ contact: { name: null } }, nested)).to.deep.equal(['contact.uuid']);
    expect(wrongIn({ contact: 'u1' }, nested)).to.deep.equal(['contact.uuid']);
  });

  it('takes a field whose own name has a dot, rather than a path', () => {
    for (const body of [
      { 'contact.uuid': 'own' },
      { contact: { uuid: 'path' }, 'contact.uuid': 'own' },
      { 'contact.uuid': 'own', contact: { uuid: 'path' } },
    ])
      expect(mapped(body, nested).values['external_id']).to.equal('own');
  });

  it('finds its record where it says, and maps nothing that is around it', () => {
    const fields = { uuid: { to: 'external_id' }, name: { to: 'firstname' } };
    const listed = { ...nested, records: ['data.leads', 'contact'], fields, required: [['uuid']] };
    const expected = { external_id: 'u1', firstname: '' };
    const { values, inter } = mapped({ name: 'hook', data: { leads: [{ uuid: 'u1' }], page: 2 } }, listed);
    expect(values).to.include(expected);
    expect(inter).to.deep.equal([
      { field: 'name', value: 'hook' },
      { field: 'data.page', value: 2 },
    ]);
    expect(mapped({ name: 'hook', contact: { uuid: 'u1' } }, listed).values).to.include(expected);
    expect(mapped({ uuid: 'u1' }, listed).values).to.include(expected);
    expect(wrongIn({ contact: [{ uuid: 1 }, { uuid: 2 }] }, listed)).to.deep.equal(['contact']);
  });

  it('takes a property that is told as an event for a field, unless it has names for that itself', () => {
    const event = { objectId: 4, propertyName: 'firstname', propertyValue: 'Ana', occurredAt: 1 };
    const fields = { objectId: { to: 'external_id' }, firstname: { to: 'firstname' } };
    const mapping = { ...deals, fields, required: [['objectId']] };
    expect(mapped(event, mapping).values).to.include({ external_id: '4', firstname: 'Ana' });
    expect(mapped({ ...event, propertyName: 'objectId' }, mapping).values['external_id']).to.equal('4');
    const own = { ...mapping, fields: { ...fields, propertyValue: { to: 'dealname' } } };
    expect(mapped(event, own).values).to.include({ firstname: '', dealname: 'Ana' });
  });
});
