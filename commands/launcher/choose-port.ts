import { createServer } from 'node:net';

/** The wanted port if it is free; otherwise a free one, unless the port was set explicitly. */
export async function choosePort(wanted: number, isExplicit: boolean, host?: string): Promise<number> {
  const found = await listenOnce(wanted, host);
  if (found) return found;
  if (isExplicit) throw new Error(`port ${wanted} is in use: set PORT to another one`);
  return (await listenOnce(0, host)) ?? 0;
}

function listenOnce(port: number, host?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(new Error(`port ${port} cannot be used: ${error.message}`));
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
