import { fstatSync } from 'node:fs';
import { parseArgs } from 'node:util';
import closeWithGrace from 'close-with-grace';
import { makeModelServer } from './server.ts';

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    'exit-with-parent': { type: 'boolean', default: false },
  },
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write(`offline-model: --port must be a number from 0 to 65535, not ${values.port}\n`);
  process.exit(1);
}

const server = makeModelServer();

const grace = closeWithGrace({ delay: 2000 }, async () => {
  const closed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  await closed;
});

/** A killed parent sends no signal: the process is reparented, and its pipe from the parent ends. */
function exitWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) grace.close();
  }, 1000).unref();
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.on('end', () => grace.close());
  process.stdin.on('error', () => grace.close());
  process.stdin.resume();
}

if (values['exit-with-parent']) exitWithParent();

server.on('error', error => {
  process.stderr.write(`offline-model: ${error.message}\n`);
  process.exit(1);
});
server.listen(port, values.host, () => {
  const address = server.address();
  const listening = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ listening })}\n`);
});
