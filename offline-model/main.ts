import { fstatSync } from 'node:fs';
import { parseArgs } from 'node:util';
import closeWithGrace from 'close-with-grace';
import { makeModelServer } from './server.ts';

/** How long open requests may take after a signal. */
const GRACE_MS = 2000;
const PARENT_CHECK_EVERY_MS = 1000;

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

const shutdown = closeWithGrace({ delay: GRACE_MS }, async () => {
  const serverClosed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  await serverClosed;
});

/** A killed parent sends no signal, but the process gets another parent, and its pipe to the old one ends. */
function exitWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) shutdown.close();
  }, PARENT_CHECK_EVERY_MS).unref();
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.on('end', () => shutdown.close());
  process.stdin.on('error', () => shutdown.close());
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
