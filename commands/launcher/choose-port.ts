import getPort from 'get-port';

/** The wanted port if it is free; otherwise a free one, unless the port was set explicitly. */
export async function choosePort(wanted: number, isExplicit: boolean, host: string): Promise<number> {
  const port = await getPort({ port: wanted, host });
  if (isExplicit && wanted !== 0 && port !== wanted)
    throw new Error(`port ${wanted} is in use, or not allowed: set PORT to another one`);
  return port;
}
