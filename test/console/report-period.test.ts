import { expect } from 'chai';
import { findPeriods, formatReportDay, readDays, shortenDay } from '../../console/pages/report-period.ts';

describe('the periods of the reports', () => {
  const now = Date.parse('2026-03-02T03:30:00Z');

  for (const [zone, today, tomorrow] of [
    ['America/Manaus', '2026-03-01', '2026-03-02'],
    ['America/Sao_Paulo', '2026-03-02', '2026-03-03'],
    ['Asia/Tokyo', '2026-03-02', '2026-03-03'],
    ['Pacific/Kiritimati', '2026-03-02', '2026-03-03'],
  ] as const)
    it(`are days of ${zone}, where the host has that zone`, () => {
      const { period, before } = findPeriods('hoje', now, zone);
      expect(period).to.deep.equal({ startDate: today, endDate: tomorrow });
      expect(before.endDate).to.equal('2026-03-01T03:30:00.000Z');
      expect(findPeriods('mes', now, zone).period.startDate).to.equal('2026-03-01');
    });

  it('are last month as the host has it, beside the month before', () => {
    const { period, before } = findPeriods('mes-passado', now, 'America/Sao_Paulo');
    expect(period).to.deep.equal({ startDate: '2026-02-01', endDate: '2026-03-01' });
    expect(before).to.deep.equal({ startDate: '2026-01-01', endDate: '2026-02-01' });
    const earlier = findPeriods('mes-passado', Date.parse('2026-03-01T03:30:00Z'), 'America/Manaus');
    expect(earlier.period).to.deep.equal({ startDate: '2026-01-01', endDate: '2026-02-01' });
  });

  it('are from one day to another, both counted, beside as many days before', () => {
    const zone = 'America/Sao_Paulo';
    const days = readDays({ de: '2026-02-10', ate: '2026-02-12' }, now, zone);
    const { period, before, beforeText } = findPeriods('datas', now, zone, days);
    expect(period).to.deep.equal({ startDate: '2026-02-10', endDate: '2026-02-13' });
    expect(before).to.deep.equal({ startDate: '2026-02-07', endDate: '2026-02-10' });
    expect(beforeText).to.equal('nos 3 dias antes');
    const untilNow = findPeriods('datas', now, zone, { first: '2026-03-01', last: '2026-03-02' });
    expect(untilNow.before).to.deep.equal({ startDate: '2026-02-27', endDate: '2026-02-28T03:30:00.000Z' });
  });

  it('take days in either order, and none that is not there yet', () => {
    const read = (de: string, ate: string) => readDays({ de, ate }, now, 'America/Sao_Paulo');
    expect(read('2026-02-12', '2026-02-10')).to.deep.equal({ first: '2026-02-10', last: '2026-02-12' });
    expect(read('', '2026-02-31')).to.deep.equal({ first: '2026-02-01', last: '2026-03-02' });
    expect(read('2026-02-01', '2027-01-01')).to.deep.equal({ first: '2026-02-01', last: '2026-03-02' });
  });

  it('name each day as the host does', () => {
    expect(formatReportDay('2026-03-01T15:00:00.000Z', 'Asia/Tokyo')).to.equal('02/03');
    expect(formatReportDay('2026-03-01T04:00:00.000Z', 'America/Manaus')).to.equal('01/03');
    expect(shortenDay('2026-03-01')).to.equal('01/03');
  });
});
