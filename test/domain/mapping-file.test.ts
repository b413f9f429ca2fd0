import { expect } from 'chai';
import { mapRecord } from '../../workers/domain/crm/field-mapping.ts';
import { columns, defaultMappings, type Mapping } from '../../workers/domain/crm/mapping.ts';
import { fileOf, type MappingFile, parseMapping } from '../../workers/domain/crm/mapping-file.ts';

const at = { now: new Date('2026-11-20T12:00:00Z'), timeZone: 'America/Sao_Paulo' };
const mapped = (body: object, mapping: Mapping | undefined) => mapRecord(body, mapping as Mapping, at).record;

describe('a mapping that a person writes', () => {
  const file: MappingFile = {
    target: 'ticket',
    fields: { cod: 'external_id', tel: 'mobilephone', obs: 'inter' },
    required: ['cod', ['tel']],
  };
  const problems = (changes: Partial<MappingFile>, kind: 'objects' | 'deals' = 'objects') =>
    (parseMapping(kind, { ...file, ...changes }).errors ?? []).map(({ path, rule }) => `${path} ${rule}`);

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
      const shown = JSON.parse(JSON.stringify(fileOf(defaultMappings[kind] as Mapping)));
      expect(parseMapping(kind, shown).mapping).to.deep.equal(defaultMappings[kind]);
    }
  });

  it('is refused with everything that is wrong with it, and told where', () => {
    expect(problems({})).to.deep.equal([]);
    const { target: _, ...untold } = file;
    expect((parseMapping('objects', untold).errors ?? []).map(({ path }) => path)).to.deep.equal(['target']);
    expect(problems({}, 'deals')).to.include('target one-of');
    const fields = { a: 'subject', b: 'email', c: 'email' };
    expect(
      problems({ target: 'lead', fields, required: ['z'], campus: true, solvedStages: [4] }),
    ).to.deep.equal([
      'required[0] unknown',
      'required required',
      'fields.a one-of',
      'fields.c only-with',
      'solvedStages not-allowed',
      'campus not-allowed',
    ]);
    expect(problems({ fields: { hostId: 'external_id' }, required: ['hostId'] })).to.deep.equal([
      'fields.hostId not-allowed',
    ]);
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
    const told = (fields: MappingFile['fields']) => problems({ fields: { ...file.fields, ...fields } });
    expect(told({ casa: 'mobilephone' })).to.deep.equal(['fields.casa only-with']);
    for (const fields of [
      { casa: after('nada') },
      { casa: after('obs') },
      { casa: after('casa') },
      { casa: after('b'), b: after('casa') },
    ])
      expect(told(fields)[0], JSON.stringify(fields)).to.equal('fields.casa.after unknown');
  });

  it('of the specification has columns that there are', () => {
    for (const { target, fields } of Object.values(defaultMappings))
      for (const { to } of Object.values(fields)) expect(columns[target]).to.have.property(to);
  });
});
