import { expect } from 'chai';
import { listContracts } from '../../db/hosts/contracts.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';

describe('the command host contract', () => {
  const database = openOnce(makeDatabase);

  const contract = (host: string, price: string, services: string, from: string) => {
    const args = ['contract', '--host', host, '--price', price, '--services', services, '--from', from];
    return runCommand('host', args, { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) });
  };

  it('sets what a host pays from a day on, and sets that day right', async () => {
    const host = await createHost(database.db, { slug: 'uni', name: 'Uni' });
    for (const [price, from] of [
      ['1.8', '2026-03-01'],
      ['2.5001', '2026-01-01'],
      ['2', '2026-03-01'],
    ] as const)
      expect(await contract('uni', price, '1000', from)).to.deep.include({ code: 0, err: '' });
    expect(await withHost(database.db, host?.id ?? '', listContracts)).to.deep.equal([
      { startsOn: '2026-01-01', price: '2.5001', services: 1_000 },
      { startsOn: '2026-03-01', price: '2.0000', services: 1_000 },
    ]);
  });

  it('takes midnight for the end of a day’s hours, and not for their beginning', async () => {
    const setHours = (from: string, to: string) => {
      const hours = JSON.stringify([{ days: [1], from, to }]);
      const env = { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) };
      return runCommand('host', ['set', '--slug', 'uni', '--business-hours', hours], env);
    };
    for (const [from, minutes] of [
      ['00:00', 1_440],
      ['08:00', 960],
    ] as const) {
      expect(await setHours(from, '24:00')).to.include({ code: 0 });
      const { rows } = await database.db.raw(`select bit_count(open_minutes)::integer as open from hosts`);
      expect(rows).to.deep.equal([{ open: minutes }]);
    }
    for (const [from, to] of [
      ['24:00', '08:00'],
      ['08:00', '24:01'],
      ['08:00', '25:00'],
    ] as const)
      expect(await setHours(from, to)).to.include({ code: 1 });
  });

  it('refuses what is no host, no price, no count and no date', async () => {
    const wrong = await Promise.all([
      contract('nobody', '1', '1', '2026-01-01'),
      contract('uni', '1,5', '1', '2026-01-01'),
      contract('uni', '1', '-1', '2026-01-01'),
      contract('uni', '1', '1', '2026-02-30'),
    ]);
    for (const { code, err } of wrong) {
      expect(code).to.equal(1);
      expect(err).to.not.equal('').and.not.include('    at ');
    }
  });
});
