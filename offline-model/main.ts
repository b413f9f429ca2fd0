import { parseArgs } from 'node:util';
import closeWithGrace from 'close-with-grace';
import { makeModelServer } from './server.ts';

/** How long open requests may take after a signal. */
const GRACE_MS = 2000;

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const server = makeModelServer();

const shutdown = closeWithGrace({ delay: GRACE_MS }, async () => {
  const serverClosed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  await serverClosed;
});

// A killed launcher sends no signal, but its channel to this process ends; it may have ended before the listener was there.
process.on('disconnect', () => shutdown.close());
if (process.send !== undefined && !process.connected) shutdown.close();

server.on('error', error => {
  process.stderr.write(`offline-model: ${error.message}\n`);
  process.exit(1);
});
server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address();
  const listening = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ listening })}\n`);
});
