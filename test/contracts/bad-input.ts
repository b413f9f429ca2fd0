import { expect } from 'chai';
import * as fc from 'fast-check';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { eachOf, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { tokenFor } from '../support/operation-calls.ts';
import { readSettledRows, readStoredRows } from '../support/stored-rows.ts';
import { badRequests } from './bad-requests.ts';
import { responseFaults } from './response-faults.ts';

/* A few requests per operation; `npm run test:long` sends a hundred. */
const RUNS = Number(process.env['RUNS'] ?? 4);
const SLOWEST_MS = 5_000;

export function describeBadInput(asked: readonly OperationName[]): void {
  describe('whatever is sent to', () => {
    const { service, samples } = openOnce(() => openContract());
    const seen = { requests: 0, refusals: 0 };
    // One that is saved by chance is a provider that nobody has: those who are sent something later would ask it.
    afterEach(() => service.db('host_providers').delete());

    eachOf(asked, 'gets a documented answer, and what is refused changes nothing', async name => {
      const { method, takesRecords } = operationOf(name);
      let before = await readSettledRows(service.db);
      const statuses = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(badRequests(name, samples[name]), async ({ address, body, headers }) => {
          const answer = await service.call(address, body, {
            method,
            headers,
            token: tokenFor(service, name),
            signal: AbortSignal.timeout(SLOWEST_MS),
          });
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          expect(responseFaults(name, answer)).to.deep.equal([]);
          const after = await readStoredRows(service.db);
          // A record is stored as received, and nothing else is created.
          if (takesRecords) after['intake_records'] = before['intake_records'] ?? '';
          const changed = Object.keys(after).filter(table => after[table] !== before[table]);
          if (answer.status >= 400) expect(changed.join(), 'changed tables').to.equal('');
          before = answer.status === 202 ? await readSettledRows(service.db) : after;
        }),
        { numRuns: RUNS },
      );
      const refusals = statuses.get(400) ?? statuses.get(404) ?? 0;
      seen.requests += RUNS;
      seen.refusals += refusals;
      // Without input, nothing can be wrong, and by chance not in a few requests.
      const mayBeRight = RUNS < 100 || (method === 'GET' && !operationOf(name).path.includes(':'));
      if (!mayBeRight) expect(refusals, 'refusals').to.be.greaterThan(RUNS / 10);
    });

    it('all of them is refused in good part', () => {
      expect(seen.refusals).to.be.greaterThan(seen.requests / 4);
    });
  });
}
