import { expect } from 'chai';
import { findPeriods, formatReportDay, shortenDay } from '../../console/pages/report-period.ts';

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

  it('name each day as the host does', () => {
    expect(formatReportDay('2026-03-01T15:00:00.000Z', 'Asia/Tokyo')).to.equal('02/03');
    expect(formatReportDay('2026-03-01T04:00:00.000Z', 'America/Manaus')).to.equal('01/03');
    expect(shortenDay('2026-03-01')).to.equal('01/03');
  });
});
