import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import getPort from 'get-port';
import { connect } from '../../db/connection.ts';
import { CTYPE, findServerUser, makeServerSpawnOptions } from '../../db/embedded/server-user.ts';
import { makeDataFolder } from './data-folders.ts';
import { eventually } from './eventually.ts';

const run = promisify(execFile);
const installed = '/usr/lib/postgresql';

/** The versions of Debian's PostgreSQL that are installed here. */
export function listDebianPostgres(): string[] {
  const versions = existsSync(installed) ? readdirSync(installed) : [];
  return versions.filter(version => existsSync(join(installed, version, 'bin', 'initdb')));
}

/** An empty server of this version; its URL is the superuser’s. */
export async function startDebianPostgres(version: string) {
  const bin = join(installed, version, 'bin');
  const dataDir = await makeDataFolder();
  // Versions before 17 look for themselves by leaving their folder and coming back.
  await chmod(dataDir, 0o711);
  const folder = join(dataDir, 'pg');
  await mkdir(folder, { mode: 0o700 });
  const user = await findServerUser(folder);
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const options = makeServerSpawnOptions(folder, user);
  const place = ['-D', folder];
  const initdb = [...place, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', `--locale=${CTYPE}`];
  await run(join(bin, 'initdb'), initdb, options);
  const port = await getPort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(
    join(bin, 'postgres'),
    [...place, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])],
    {
      ...options,
      stdio: 'ignore',
    },
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const db = connect(url, { max: 1 });
  await eventually(
    () =>
      db.raw('select 1').then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  await db.destroy();
  return {
    url,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      await rm(dataDir, { recursive: true });
    },
  };
}
