import { expect } from 'chai';
import * as fc from 'fast-check';
import { dayAfter, instantOf, instantOfWritten, localTimeAt } from '../../workers/domain/time/instant.ts';

const saoPaulo = 'America/Sao_Paulo';

describe('a moment in a request', () => {
  const meant: readonly [text: string, timeZone: string, iso: string][] = [
    ['2026-12-31', saoPaulo, '2026-12-31T03:00:00.000Z'],
    ['2026-12-31T18:30', saoPaulo, '2026-12-31T21:30:00.000Z'],
    ['2026-12-31T18:30:05.5Z', saoPaulo, '2026-12-31T18:30:05.500Z'],
    ['2026-12-31T18:30:00-0500', saoPaulo, '2026-12-31T23:30:00.000Z'],
    ['2026-12-31T00:00:00+05:30', 'UTC', '2026-12-30T18:30:00.000Z'],
    ['2026-12-31', 'UTC', '2026-12-31T00:00:00.000Z'],
    // Lisbon changes its clocks in between.
    ['2026-03-29', 'Europe/Lisbon', '2026-03-29T00:00:00.000Z'],
    ['2026-03-29T12:00', 'Europe/Lisbon', '2026-03-29T11:00:00.000Z'],
    ['2026-10-25T12:00', 'Europe/Lisbon', '2026-10-25T12:00:00.000Z'],
    ['2024-02-29', 'Asia/Kolkata', '2024-02-28T18:30:00.000Z'],
    // Years have four digits: the others would be told in another form than they are read in.
    ['9999-12-31T23:59:59', saoPaulo, '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:00:00-03:00', 'UTC', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01', 'Asia/Tokyo', '0000-01-01T00:00:00.000Z'],
  ];
  for (const [text, timeZone, iso] of meant)
    it(`${text} in ${timeZone} is ${iso}`, () => {
      expect(instantOf(text, timeZone)?.toISOString()).to.equal(iso);
    });

  it('is an end of the last day of all, which stands for ever', () => {
    expect(['2026-02-28', '9999-12-31'].map(dayAfter)).to.deep.equal([
      '2026-03-01',
      '9999-12-31T23:59:59.999Z',
    ]);
  });

  it('is none where the calendar has no such day, the day no such time, or the text another form', () => {
    const texts = [
      '',
      '2026',
      '2026-02-30',
      '2026-13-01',
      '2026-01-01T24:00',
      '2026-01-01T12:60Z',
      '2026-W01-1',
    ];
    for (const text of [
      ...texts,
      '2026-01-01T00:00+99:99',
      '+002026-01-01',
      '2026-01-01  00:00',
      '2026-01-01T00:00-3',
      ' 2026-01-01',
    ])
      expect(instantOf(text, saoPaulo), text).to.equal(undefined);
  });

  it('is itself when it is written out with its offset', () => {
    const year = { min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(year), date => {
        expect(instantOf(date.toISOString(), saoPaulo)?.getTime()).to.equal(date.getTime());
      }),
    );
  });
});

describe('a time as people and programs write it', () => {
  it('is read with the day before the month, in words, and with its zone behind it', () => {
    const local = [
      '28/11/2026 14:30',
      '28-11-2026, 14:30:00',
      '28.11.2026 às 14h30',
      '2026/11/28 14:30:00',
      '2026-11-28 2:30 PM',
      'Nov 28, 2026 2:30 PM',
      '28 de novembro de 2026 14:30',
      '2026-11-28T14:30:00[America/Sao_Paulo]',
    ];
    for (const text of local)
      expect(instantOfWritten(text, saoPaulo)?.toISOString(), text).to.equal('2026-11-28T17:30:00.000Z');
    const zoned = [
      '2026-11-28 14:30:00 UTC',
      'Sat, 28 Nov 2026 14:30:00 GMT',
      'Sat, 28 Nov 2026 11:30:00 -0300',
      'Sat Nov 28 2026 11:30:00 GMT-0300 (Horário Padrão de Brasília)',
      '2026-11-28T11:30:00-03:00[America/Sao_Paulo]',
    ];
    for (const text of zoned)
      expect(instantOfWritten(text, saoPaulo)?.toISOString(), text).to.equal('2026-11-28T14:30:00.000Z');
    for (const text of ['28/11/2026', '28 nov. 2026', 'November 28, 2026', '2026-11-28'])
      expect(instantOfWritten(text, saoPaulo)?.toISOString(), text).to.equal('2026-11-28T03:00:00.000Z');
  });

  it('is none where the day is none, or the month may be the day', () => {
    const texts = [
      '11/28/2026 14:30',
      '31/02/2026',
      '8/3/2026',
      '28/11/26',
      'ontem',
      'Foo 28, 2026',
      '2026-11-28 14:30 PM',
    ];
    for (const text of texts) expect(instantOfWritten(text, saoPaulo), text).to.equal(undefined);
  });
});

describe('the time on local clocks', () => {
  const changes: readonly [timeZone: string, at: string, afterMs: number][] = [
    [saoPaulo, '2018-11-04T03:00:00Z', 3_600_000],
    ['Europe/Lisbon', '2026-10-25T01:00:00Z', -3_600_000],
    ['America/St_Johns', '2010-03-14T03:31:00Z', 3_600_000],
    // The last clocks that were changed within a minute.
    ['Africa/Monrovia', '1972-01-07T00:44:30Z', 44.5 * 60_000],
  ];
  for (const [timeZone, at, afterMs] of changes)
    it(`jumps at ${at} in ${timeZone}, whatever was asked before`, () => {
      const instant = Date.parse(at);
      const localOf = (shift: number) => localTimeAt(instant + shift, timeZone) - shift;
      for (const [before, after] of [[-1, 0] as const, [-1_000, 1_000] as const])
        expect(localOf(after) - localOf(before)).to.equal(afterMs);
      expect(localOf(-1)).to.equal(localOf(-1_000));
    });
});
