import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { type OperationName, operationNames, operationOf } from '../queues/contract/operations/index.ts';
import { badRequests, type RawRequest } from '../test/contracts/bad-requests.ts';
import { responseFaults } from '../test/contracts/response-faults.ts';
import { openContract } from '../test/support/contract.ts';
import { stopTestServer } from '../test/support/database.ts';
import { tokenFor } from '../test/support/operation-calls.ts';
import { atOnce } from './stores.bench.ts';

/*
 * Sends generated invalid requests to each operation of a whole service and prints the answers by status, the
 * slowest time, and all answers that are undocumented or without the envelope. One such answer makes it exit with 1.
 */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    operation: { type: 'string' },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
const IN_FLIGHT = 16;
const SLOWEST_MS = 15_000;
const SHOWN = 10;

const contract = await openContract();
console.log(`${count} bad requests for each operation, ${IN_FLIGHT} at a time, seed ${seed}`);
for (const name of operationNames) if ((values.operation ?? name) === name) await measure(name);
await contract.close();
await stopTestServer();

async function measure(name: OperationName): Promise<void> {
  const requests = fc.sample(badRequests(name, contract.samples[name]), { numRuns: count, seed });
  const statuses = new Map<number | string, number>();
  const faults: string[] = [];
  const speed = await atOnce(count, IN_FLIGHT, async at => {
    const { status, found } = await answerOf(name, requests[at] as RawRequest);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (found.length > 0) faults.push(`${found.join(', ')}: ${JSON.stringify(requests[at]).slice(0, 500)}`);
  });
  const inOrder = [...statuses].toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  const counted = inOrder.map(([status, times]) => `${status}: ${times}`);
  console.log(`${name.padEnd(20)} ${counted.join('  ')}`);
  console.log(
    `${''.padEnd(20)} ${speed.perSecond.toFixed(0)}/s  p50 ${speed.p50.toFixed(1)} ms  p99 ${speed.p99.toFixed(1)} ms`,
  );
  for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault}`);
  console.log(`${''.padEnd(20)} answers not as documented: ${faults.length}`);
  if (faults.length > 0) process.exitCode = 1;
}

async function answerOf(name: OperationName, { address, body, headers }: RawRequest) {
  const { method } = operationOf(name);
  try {
    const signal = AbortSignal.timeout(SLOWEST_MS);
    const token = tokenFor(contract.service, name);
    const answer = await contract.service.call(address, body, { method, headers, signal, token });
    return { status: answer.status, found: responseFaults(name, answer) };
  } catch (error) {
    return { status: 'none', found: [`no answer: ${String(error)}`] };
  }
}
