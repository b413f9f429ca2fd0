import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { MAX_VALUES } from '../api/guards/json-bounds.ts';
import { type OperationName, operationOf } from '../queues/contract/operations/index.ts';
import { declaredLengths, longList, longMap } from '../test/queues/declared-lengths.ts';
import { stopTestServer } from '../test/support/database.ts';
import { addressOf, bodyOperations, tokenFor } from '../test/support/operation-calls.ts';
import { startService } from '../test/support/service.ts';

/*
 * The cost for `web` of bodies of 1 MiB that are as expensive as possible: CPU time of the request and longest event
 * loop delay for each operation and form. Without workers: accepted bodies end with 408.
 */

const MIB = 1_048_576;
const MIN_SHOWN_MS = 50;

const service = await startService({ workers: false, requestTimeoutMs: 300 });
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
console.log('operation            form                            sent     status   cpu ms   loop ms');
for (const name of bodyOperations) {
  for (const [form, body] of Object.entries(formsOf(name))) await measure(name, form, body);
}
await service.close();
await stopTestServer();

function formsOf(name: OperationName): Record<string, string> {
  const { body, example } = operationOf(name);
  const json = JSON.stringify(example.body);
  const start = json === '{}' ? '{' : `${json.slice(0, -1)},`;
  const withUnknown = (more: string) => `${start}"~":${more}}`;
  const size = MIB - json.length - 100;
  const deep = `${'['.repeat(28)}${']'.repeat(28)}`;
  const long = declaredLengths(body).map(({ path, kind, bodyWith }) => [
    `${path || 'body'}: {}…`,
    JSON.stringify(bodyWith('~')).replace(
      '"~"',
      kind === 'list' ? longList('{}', size) : longMap('{}', size),
    ),
  ]);
  const most = MAX_VALUES - 100;
  return {
    'the most unknown fields': `${start}${longMap('0', most * 11).slice(1)}`,
    'unknown: the most {}': withUnknown(longList('{}', most * 3)),
    'unknown: the most deep lists': withUnknown(longList(deep, most * 2)),
    'unknown: the most new names': withUnknown(newNames(most)),
    'unknown: the most long texts': withUnknown(longList(`"${'é'.repeat(22)}"`, size / 1.9)),
    'unknown fields': `${start}${longMap('0', size).slice(1)}`,
    'an unknown long name': `${start}"${'x'.repeat(size)}":0}`,
    'unknown: deep lists': withUnknown(longList(deep, size)),
    'unknown: 1e400': withUnknown(longList('1e400', size)),
    'unknown: a long number': withUnknown('9'.repeat(size)),
    'unknown: escapes': withUnknown(longList('"\\u0000"', size)),
    ...Object.fromEntries(long),
  };
}

/** Nests objects with one unique name each, 29 levels deep. */
function newNames(count: number): string {
  const chain = (start: number) => {
    const names = Array.from({ length: 28 }, (_, at) => `{"~${(start + at).toString(36)}":`).join('');
    return `${names}0${'}'.repeat(28)}`;
  };
  return `[${Array.from({ length: Math.floor(count / 29) }, (_, at) => chain(at * 28)).join(',')}]`;
}

async function measure(name: OperationName, form: string, body: string): Promise<void> {
  const packed = new Uint8Array(gzipSync(body, { level: 1 }));
  // This waits until the cost of creating the body is over.
  await new Promise(resolve => setTimeout(resolve, 20));
  delay.reset();
  const before = process.cpuUsage();
  const headers = { 'content-encoding': 'gzip' };
  const { status } = await service.call(addressOf(name), packed, { headers, token: tokenFor(service, name) });
  const { user, system } = process.cpuUsage(before);
  const heldMs = delay.max / 1_000_000;
  const figures = [
    `${packed.length}`.padStart(8),
    `${status}`.padStart(7),
    ((user + system) / 1_000).toFixed(0),
  ];
  console.log(
    name.padEnd(20),
    form.slice(0, 28).padEnd(28),
    figures.map(figure => figure.padStart(8)).join(' '),
    heldMs.toFixed(0).padStart(8),
    heldMs > MIN_SHOWN_MS ? ' !' : '',
  );
}
