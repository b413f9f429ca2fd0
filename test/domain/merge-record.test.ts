import { expect } from 'chai';
import * as fc from 'fast-check';
import { type MappedRecord, mapRecord } from '../../workers/domain/crm/field-mapping.ts';
import { defaultMappings, type Mapping } from '../../workers/domain/crm/mapping.ts';
import { mergeRecord, missingGroupsOf, warnOfNobody } from '../../workers/domain/crm/merge-record.ts';

const at = { now: new Date('2026-11-20T12:00:00Z'), timeZone: 'UTC' };
const tickets = defaultMappings.tickets as Mapping;
const mapped = (body: object) => mapRecord(body, tickets, at).record;
const contentOf = ({ values, campus, inter, warnings }: MappedRecord) => {
  const sorted = <T extends { field: string }>(list: readonly T[]) =>
    list.toSorted((a, b) => (a.field < b.field ? -1 : 1));
  return { values, campus, inter: sorted(inter), warnings: sorted(warnings) };
};

const field = fc.constantFrom(
  'firstname',
  'mobilephone',
  'subject',
  'campus_a',
  'campus_b',
  'origem',
  '__proto__',
);
const value = fc.constantFrom<unknown>('', null, 'a', 'b\0', '11987654321', 3);
const part = fc.dictionary(field, value);

describe('what stands of a record', () => {
  it('says that nobody can be reached only as long as no e-mail and no phone of it could be read', () => {
    const warned = (record: MappedRecord) => warnOfNobody(record, tickets).warnings.map(each => each.field);
    const lost = mapped({ email: 'ana', mobilephone: '12' });
    expect(warned(lost)).to.deep.equal(['email', 'mobilephone', 'contactData']);
    const standing = warnOfNobody(lost, tickets);
    expect(warned(mergeRecord(standing, mapped({ subject: 'a' })))).to.include('contactData');
    expect(warned(mergeRecord(standing, mapped({ mobilephone: '11 98765-4321' })))).to.deep.equal(['email']);
    for (const reached of [{ email: 'a@b.br', mobilephone: '12' }, { subject: 'a' }, { email: null }])
      expect(warned(mapped(reached))).to.not.include('contactData');
  });

  it('is what its fields said last, in however many parts they came', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), parts => {
        const whole = mapped(Object.fromEntries(parts.flatMap(each => Object.entries(each))));
        const merged = parts
          .map(mapped)
          .reduce<MappedRecord | undefined>((standing, each) => mergeRecord(standing, each), undefined);
        expect(contentOf(merged as MappedRecord)).to.deep.equal(contentOf(whole));
      }),
      { numRuns: 500 },
    );
  });

  it('is the same to the letter where a part of it comes again', () => {
    fc.assert(
      fc.property(part, fc.array(field), (body, again) => {
        const standing = mapped(body);
        const repeated = Object.fromEntries(
          Object.entries(body)
            .filter(([name]) => (again as string[]).includes(name))
            .toReversed(),
        );
        const { inter, values, warnings, campus } = mergeRecord(standing, mapped(repeated));
        expect({ inter, values, warnings }).to.deep.equal({
          inter: standing.inter,
          values: standing.values,
          warnings: standing.warnings,
        });
        expect(campus).to.deep.equal(standing.campus);
      }),
      { numRuns: 500 },
    );
  });

  it('lacks what neither it nor an arrival has, whichever column, list or campus a field goes to', () => {
    const mapping = { ...tickets, required: [['subject'], ['campus_a'], ['origem']] };
    const nothing = mapRecord({}, mapping, at);
    expect(missingGroupsOf(nothing, mapping, undefined)).to.deep.equal(mapping.required);
    for (const [given] of mapping.required) {
      const stored = mapped({ [given ?? '']: 'a' });
      const others = mapping.required.filter(([field]) => field !== given);
      expect(missingGroupsOf(nothing, mapping, stored)).to.deep.equal(others);
      const cleared = mapRecord({ [given ?? '']: '' }, mapping, at);
      expect(missingGroupsOf(cleared, mapping, stored)).to.deep.equal(mapping.required);
    }
  });

  it('grows no further than one arrival may be, with a warning, whatever keeps coming', () => {
    const partOf = (arrival: number, prefix: string) =>
      mapped(
        Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`${prefix}${arrival}_${at}`, 'x'])),
      );
    for (const prefix of ['f', 'campus_']) {
      const arrivals = Array.from({ length: 5 }, (_, at) => partOf(at, prefix));
      const { inter, campus, warnings } = arrivals.reduce((standing, each) => mergeRecord(standing, each));
      expect(inter.length + Object.keys(campus).length, prefix).to.be.at.most(20_000);
      expect(warnings.filter(({ field }) => field === 'inter_data')).to.have.length(1);
    }
    const [first, second] = [partOf(0, 'f'), partOf(1, 'f')];
    expect(mergeRecord(first, second).inter).to.have.length(18_000);
    const long = mapped({ note: 'x'.repeat(600_000) });
    expect(mergeRecord(long, mapped({ other: 'x'.repeat(600_000) })).inter).to.have.length(1);
  });
});
