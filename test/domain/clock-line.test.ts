import { expect } from 'chai';
import * as fc from 'fast-check';
import { clockLineOf } from '../../workers/domain/prompts/clock-line.ts';

const timeZone = 'America/Sao_Paulo';
const weekdays = [1, 2, 3, 4, 5];
/** Wednesday, at 14:47 in São Paulo. */
const wednesday = Date.parse('2026-11-25T14:47-03:00');
const lineAt = (now: string, businessHours: Parameters<typeof clockLineOf>[0]['businessHours']) =>
  clockLineOf({ now: Date.parse(now), timeZone, businessHours });
const open = [{ days: weekdays, from: '08:00', to: '18:00' }];

describe('the clock of a host in a prompt', () => {
  it('has day, hour and zone of the host, and tomorrow', () => {
    expect(clockLineOf({ now: wednesday, timeZone, businessHours: [] })).to.equal(
      'Agora: quarta-feira, 25/11/2026, 14:47 (America/Sao_Paulo). Amanhã: quinta-feira, 26/11/2026.',
    );
    expect(clockLineOf({ now: wednesday, timeZone: 'Asia/Tokyo', businessHours: [] })).to.match(
      /^Agora: quinta-feira, 26\/11\/2026, 02:47 \(Asia\/Tokyo\)\./,
    );
  });

  it('says until when the host is open, when it opens next, and the hours of tomorrow', () => {
    for (const [now, opening] of [
      ['2026-11-25T14:47-03:00', 'aberto agora, até às 18:00'],
      ['2026-11-25T18:00-03:00', 'fechado agora; abre quinta-feira, 26/11/2026, às 08:00'],
      ['2026-11-25T07:59-03:00', 'fechado agora; abre às 08:00'],
      ['2026-11-27T20:00-03:00', 'fechado agora; abre segunda-feira, 30/11/2026, às 08:00'],
    ] as const)
      expect(lineAt(now, open), now).to.include(`Atendimento: ${opening}. Amanhã: `);
    expect(lineAt('2026-11-25T14:47-03:00', open)).to.match(/26\/11\/2026, aberto das 08:00 às 18:00\.$/);
    expect(lineAt('2026-11-27T14:47-03:00', open)).to.match(/28\/11\/2026, fechado\.$/);
  });

  it('knows nights, breaks at noon, midnights, and hosts that never close', () => {
    const night = [{ days: [3], from: '22:00', to: '02:00' }];
    expect(lineAt('2026-11-26T01:00-03:00', night)).to.include('aberto agora, até às 02:00');
    expect(lineAt('2026-11-25T23:00-03:00', night)).to.include(
      'aberto agora, até quinta-feira, 26/11/2026, às 02:00',
    );
    const noon = [
      { days: [3], from: '13:00', to: '24:00' },
      { days: [3], from: '08:00', to: '12:00' },
    ];
    expect(lineAt('2026-11-25T12:30-03:00', noon)).to.include('fechado agora; abre às 13:00');
    expect(lineAt('2026-11-25T13:30-03:00', noon)).to.include('aberto agora, até às 24:00');
    expect(lineAt('2026-11-24T13:30-03:00', noon)).to.match(
      /aberto das 08:00 às 12:00 e das 13:00 às 24:00\.$/,
    );
    const early = [{ days: [4], from: '00:00', to: '06:00' }];
    expect(lineAt('2026-11-25T12:30-03:00', early)).to.include('abre quinta-feira, 26/11/2026, às 00:00');
    const always = [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '24:00' }];
    expect(lineAt('2026-11-25T12:30-03:00', always)).to.include('Atendimento: aberto a qualquer hora.');
  });

  it('is open exactly in the hours of the host, whatever they are', () => {
    const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '30'));
    const hours = fc.record({
      days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      from: time.map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`),
      to: time.map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`),
    });
    const property = fc.property(
      fc.array(hours, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 7 * 96 }),
      (businessHours, quarter) => {
        const now = Date.parse('2026-11-23T00:00Z') + quarter * 900_000;
        const at = (day: number) => new Date(now + day * 86_400_000);
        const minute = (now / 60_000) % 1_440;
        const minutesOf = (text: string) => 60 * Number(text.slice(0, 2)) + Number(text.slice(3));
        const isOn = (days: number[], day: number) => days.includes(at(day).getUTCDay() || 7);
        const isOpen = businessHours.some(({ days, from, to }) => {
          const [start, end] = [minutesOf(from), minutesOf(to)];
          const isOvernight = end <= start;
          return (
            (isOn(days, 0) && start <= minute && (isOvernight || minute < end)) ||
            (isOvernight && isOn(days, -1) && minute < end)
          );
        });
        const line = clockLineOf({ now, timeZone: 'UTC', businessHours });
        expect(/Atendimento: aberto/.test(line), line).to.equal(isOpen);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
