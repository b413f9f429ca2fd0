import { expect } from 'chai';
import * as fc from 'fast-check';
import { dateAt, daysOf, exceedsYears, monthsOf, type TimeSpan } from '../../workers/domain/time/period.ts';
import { runToEnd } from '../support/run-to-end.ts';

// biome-ignore format: a list
const zones = [
  'America/Sao_Paulo', 'America/New_York', 'America/Havana', 'America/Santiago', 'Africa/Cairo',
  'Asia/Beirut', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Europe/Lisbon', 'UTC',
];
const hour = 3_600_000;
const between = (start: string, end: string): TimeSpan => ({
  start: Date.parse(start),
  end: Date.parse(end),
});
const iso = (instant: number) => new Date(instant).toISOString();

describe('the local days of a period', () => {
  const lengths: readonly [what: string, timeZone: string, noon: string, hours: number][] = [
    ['an ordinary day', 'America/Sao_Paulo', '2026-03-02T15:00Z', 24],
    ['the day on which New York loses an hour', 'America/New_York', '2026-03-08T16:00Z', 23],
    ['the day on which New York gains one', 'America/New_York', '2026-11-01T16:00Z', 25],
    ['the day on which Lord Howe gains half an hour', 'Australia/Lord_Howe', '2026-04-05T01:00Z', 24.5],
    ['the day on which Lord Howe loses it', 'Australia/Lord_Howe', '2026-10-04T01:00Z', 23.5],
    ['a day that begins at 1 in São Paulo', 'America/Sao_Paulo', '2018-11-04T15:00Z', 23],
    ['a day on which São Paulo has 23 o’clock twice', 'America/Sao_Paulo', '2018-02-17T15:00Z', 25],
    ['a day on which Havana has midnight twice', 'America/Havana', '2026-11-01T16:00Z', 25],
    ['a day that begins at 1 in Havana', 'America/Havana', '2026-03-08T16:00Z', 23],
  ];
  for (const [what, timeZone, noon, hours] of lengths)
    it(`know that ${what} has ${hours} hours`, () => {
      const around = { start: Date.parse(noon) - 30 * hour, end: Date.parse(noon) + 30 * hour };
      const day = runToEnd(daysOf(around, timeZone)).find(
        ({ start, end }) => start <= Date.parse(noon) && Date.parse(noon) < end,
      );
      expect(day?.isWhole).to.equal(true);
      expect((day?.end ?? 0) - (day?.start ?? 0)).to.equal(hours * hour);
    });

  it('leave out the day that Samoa never had', () => {
    const days = runToEnd(daysOf(between('2011-12-29T12:00Z', '2012-01-01T12:00Z'), 'Pacific/Apia'));
    expect(days.map(({ date }) => date)).to.deep.equal([
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
      '2012-01-02',
    ]);
  });

  it('are whole just where the period has all of the day, also as its first and its last', () => {
    const day = between('2026-03-02T03:00Z', '2026-03-03T03:00Z');
    const areWhole = (span: TimeSpan) =>
      runToEnd(daysOf(span, 'America/Sao_Paulo')).map(({ isWhole }) => isWhole);
    expect([areWhole(day), areWhole({ ...day, start: day.start + 1 })]).to.deep.equal([[true], [false]]);
    expect(areWhole({ ...day, end: day.end - 1 })).to.deep.equal([false]);
  });

  it('begin where the day does, even where the period begins later, and end where the period does', () => {
    const days = runToEnd(daysOf(between('2026-03-01T02:30Z', '2026-03-01T04:00Z'), 'America/Sao_Paulo'));
    expect(
      days.map(day => [day.date, iso(day.begins), iso(day.start), iso(day.end), day.isWhole]),
    ).to.deep.equal([
      [
        '2026-02-28',
        '2026-02-28T03:00:00.000Z',
        '2026-03-01T02:30:00.000Z',
        '2026-03-01T03:00:00.000Z',
        false,
      ],
      [
        '2026-03-01',
        '2026-03-01T03:00:00.000Z',
        '2026-03-01T03:00:00.000Z',
        '2026-03-01T04:00:00.000Z',
        false,
      ],
    ]);
    expect(
      monthsOf(days, 'America/Sao_Paulo').map(each => [
        each.month,
        iso(each.begins),
        each.days.map(({ date }) => date),
      ]),
    ).to.deep.equal([
      ['2026-02', '2026-02-01T03:00:00.000Z', ['2026-02-28']],
      ['2026-03', '2026-03-01T03:00:00.000Z', ['2026-03-01']],
    ]);
  });

  it('cover the period without a gap, and hold each instant in the day that the clocks show', () => {
    const instant = fc.integer({ min: Date.parse('2023-06-01'), max: Date.parse('2027-06-01') });
    const length = fc.integer({ min: 1, max: 40 * 24 * hour });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instant, length, (timeZone, start, lasts) => {
        const end = start + lasts;
        const days = runToEnd(daysOf({ start, end }, timeZone));
        expect(days[0]?.start).to.equal(start);
        expect(days.at(-1)?.end).to.equal(end);
        for (const [at, day] of days.entries()) {
          if (at > 0) expect(day.start).to.equal(days[at - 1]?.end);
          for (const inside of [day.start, Math.floor((day.start + day.end) / 2), day.end - 1])
            expect(dateAt(inside, timeZone), `${iso(inside)} in ${timeZone}`).to.equal(day.date);
          expect(dateAt(day.begins - 1, timeZone)).to.not.equal(day.date);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a period', () => {
  it('is measured in years on the calendar of its time zone', () => {
    // São Paulo moved its clocks forward at the start of the period, and not at its end.
    const years = between('2018-11-05T02:00Z', '2023-11-05T03:00Z');
    expect(exceedsYears(years, 5, 'America/Sao_Paulo')).to.equal(false);
    expect(exceedsYears({ ...years, end: years.end + 1 }, 5, 'America/Sao_Paulo')).to.equal(true);
  });
});
