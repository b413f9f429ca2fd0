import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface DeployedProxy {
  readonly baseURL: string;
  close(): Promise<void>;
}

/** nginx or Caddy as docs/deploy has them, but for the certificate and the ports, before the `web` processes on these ports. */
export async function startDeployedProxy(
  name: 'nginx' | 'caddy',
  ports: readonly number[],
): Promise<DeployedProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'));
  const port = await findFreePort();
  const file = join(folder, 'conf');
  await writeFile(
    file,
    name === 'nginx' ? await nginxConf(folder, port, ports) : await caddyfile(port, ports),
  );
  const args =
    name === 'nginx' ? ['-c', file, '-p', folder] : ['run', '--adapter', 'caddyfile', '--config', file];
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', text => (errors = `${errors}${text}`.slice(-2_000)));
  const baseURL = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${baseURL}/openapi.json`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${errors}`);
    await delay(50);
  }
  return {
    baseURL,
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function nginxConf(folder: string, port: number, ports: readonly number[]): Promise<string> {
  const text = (await readFile('docs/deploy/nginx.conf', 'utf8'))
    .replace(/^ *ssl_.*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')}
${withPorts(text, ports)} }`;
}

async function caddyfile(port: number, ports: readonly number[]): Promise<string> {
  const text = await readFile('docs/deploy/Caddyfile', 'utf8');
  return `{
	admin off
}
${withPorts(text.replace('parley.example', `http://127.0.0.1:${port}`), ports)}`;
}

const withPorts = (text: string, ports: readonly number[]) =>
  ports.reduce((read, port, at) => read.replaceAll(`127.0.0.1:${3000 + at}`, `127.0.0.1:${port}`), text);

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
