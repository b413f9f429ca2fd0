import { expect } from 'chai';
import { mapRecord } from '../../workers/domain/crm/field-mapping.ts';
import { columns, defaultMappings, type Mapping } from '../../workers/domain/crm/mapping.ts';
import { fileOf, parseMapping } from '../../workers/domain/crm/mapping-file.ts';

const at = { now: new Date('2026-11-20T12:00:00Z'), timeZone: 'America/Sao_Paulo' };
const mapped = (body: object, mapping: Mapping | undefined) => mapRecord(body, mapping as Mapping, at).record;

describe('a mapping that a person writes', () => {
  const file = {
    target: 'ticket',
    fields: { cod: 'external_id', tel: 'mobilephone', obs: 'inter' },
    required: ['cod', ['tel']],
  };
  const problems = (changes: object, kind: 'objects' | 'deals' = 'objects') =>
    parseMapping(kind, { ...file, ...changes }).errors ?? [];

  it('is taken with its names in either form', () => {
    const { mapping } = parseMapping('objects', { ...file, records: 'leads', solvedStages: [4, 'x'] });
    expect(mapping).to.deep.include({
      target: 'tickets',
      records: ['leads'],
      required: [['cod'], ['tel']],
      solvedStages: ['4', 'x'],
    });
    const record = mapped({ cod: 'a-1', tel: '11 98765-4321', obs: 'o' }, mapping);
    expect(record.inter).to.deep.equal([{ field: 'obs', value: 'o' }]);
  });

  it('is shown as it can be written again', () => {
    for (const kind of ['tickets', 'deals'] as const) {
      const shown = JSON.parse(JSON.stringify({ version: 3, ...fileOf(defaultMappings[kind] as Mapping) }));
      expect(parseMapping(kind, shown).mapping).to.deep.equal(defaultMappings[kind]);
    }
  });

  it('is refused with everything that is wrong with it', () => {
    expect(problems({})).to.deep.equal([]);
    expect(problems({ target: undefined })).to.deep.equal(['"target" is missing: lead or ticket']);
    expect(
      problems({
        target: 'lead',
        fields: { a: 'subject', b: 'email', c: 'email' },
        required: ['z'],
        campus: true,
      }),
    ).to.have.length(5);
    expect(problems({}, 'deals')).to.have.length(1);
    expect(problems({ fields: { hostId: 'external_id' }, required: ['hostId'] })).to.have.length(1);
    expect(parseMapping('objects', []).errors).to.have.length(1);
    expect(
      problems({
        target: undefined,
        records: 7,
        fields: { cod: 1, tel: 'x' },
        required: ['cod', 'z', 2],
        no: 1,
      }),
    ).to.have.length(6);
    expect(
      problems({ target: 'lead', fields: { cod: 'external_id', a: 'nowhere' }, solved: [] }),
    ).to.deep.equal([
      '"solved" is no part of a mapping, which has version, target, records, fields, required, solvedStages, campus',
      '"required" names "tel", which is not among the fields',
      'there is no column "nowhere" in leads',
    ]);
  });

  it('is told by its path what is missing or malformed, and what belongs there', () => {
    const list = 'a list of the fields that each record must have; of those in an inner list one is enough';
    const toldOf = (changes: object) => problems({ required: ['cod'], ...changes });
    const fields = { ...file.fields, b: {}, c: 5, d: { to: 'email', as: 'text' }, e: { to: 'stage', x: 1 } };
    expect(toldOf({ required: undefined })).to.deep.equal([`"required" is missing: ${list}`]);
    expect(toldOf({ required: [7, []] })).to.deep.equal([`"required" must be ${list}`]);
    expect(toldOf({ target: 'person' })).to.deep.equal(['"target" must be lead or ticket']);
    expect(toldOf({ fields })).to.deep.equal([
      '"fields.b" names no column: give it in "to"',
      '"fields.c" must be the name of a column, or {to, as, after}',
      '"fields.d.as" can only be integer',
      '"fields.e.x" is not known: a field has to, as, after',
    ]);
    expect(parseMapping('objects', 'x').errors?.join()).to.match(
      /^a mapping is an object with version, target/,
    );
  });

  it('may give a column several fields in an order, of which the first that can be read counts', () => {
    const after = (name: string) => ({ to: 'mobilephone', after: name });
    const ordered = { tel: 'mobilephone', cod: 'external_id', casa: after('tel'), recado: after('casa') };
    const { mapping } = parseMapping('objects', { ...file, fields: ordered, required: ['cod'] });
    const phoneOf = (body: object) => mapped({ recado: '11 3333-4444', ...body, cod: '1' }, mapping);
    expect(phoneOf({}).values).to.include({ mobilephone: '11 3333-4444' });
    const both = phoneOf({ casa: '11 3333-5555', tel: 'nenhum' });
    expect(both.values).to.include({ mobilephone: '11 3333-5555' });
    expect(both.inter.map(({ field }) => field)).to.deep.equal(['tel', 'recado']);
    expect(phoneOf({ recado: null }).sentColumns.has('mobilephone')).to.equal(false);
    expect(phoneOf({ recado: null, tel: null }).sentColumns.has('mobilephone')).to.equal(true);
    const told = (fields: object) => problems({ fields: { ...file.fields, ...fields } });
    expect(told({ casa: 'mobilephone' }).join()).to.include('two fields go to "mobilephone"');
    for (const fields of [
      { casa: after('nada') },
      { casa: after('obs') },
      { casa: after('casa') },
      { casa: after('b'), b: after('casa') },
    ])
      expect(told(fields)[0], JSON.stringify(fields)).to.equal(
        '"after" of "casa" must name another field that goes to "mobilephone"',
      );
  });

  it('of the specification has columns that there are', () => {
    for (const { target, fields } of Object.values(defaultMappings))
      for (const { to } of Object.values(fields)) expect(columns[target]).to.have.property(to);
  });
});
