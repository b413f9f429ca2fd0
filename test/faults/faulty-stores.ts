import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { isCode } from '../../db/embedded/cluster.ts';
import { askDatabase } from '../support/ask-database.ts';
import { makeOwnRedis } from '../support/own-redis.ts';
import { makeQueueStore, type QueueStore } from '../support/queue-store.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { makeSwitchableProxy, type SwitchableProxy } from '../support/switchable-proxy.ts';
import { makeOwnPostgres, type OwnPostgres } from './own-postgres.ts';

export interface StoreFault {
  readonly name: string;
  strike(): Promise<unknown>;
  /** Undefined where nothing has to be done. */
  readonly heal?: () => Promise<unknown>;
  /** Why it cannot be tried here, once the store is open. */
  readonly skipReason?: () => string | undefined;
}

/** A store behind a proxy. Its faults are for one after the other: each leaves it working. */
interface FaultyStore {
  readonly faults: readonly StoreFault[];
  open(): Promise<QueueStore>;
  /** The address of the database, not through the proxy. */
  databaseUrl(): string;
  close(): Promise<void>;
}

export function makeFaultyRedis(): FaultyStore {
  let first: OwnRedis;
  let second: OwnRedis;
  let address: SwitchableProxy;
  let store: QueueStore;
  const tell = async (...command: [string, ...string[]]) => {
    const admin = new Redis(first.url);
    await admin.call(...command).finally(() => admin.disconnect());
  };
  const faults: StoreFault[] = [
    { name: 'killed, and back without its data', strike: () => first.kill(), heal: () => first.start() },
    { name: 'flushed', strike: () => tell('FLUSHALL') },
    { name: 'frozen', strike: async () => first.freeze(), heal: async () => first.goOn() },
    {
      name: 'full',
      strike: () => tell('CONFIG', 'SET', 'maxmemory', '1mb'),
      heal: () => tell('CONFIG', 'SET', 'maxmemory', '0'),
    },
    {
      name: 'read-only',
      strike: () => tell('REPLICAOF', '127.0.0.1', '1'),
      heal: () => tell('REPLICAOF', 'NO', 'ONE'),
    },
    { name: 'half-open', strike: async () => address.silence() },
    { name: 'deaf: its calls take effect and fail', strike: async () => address.dropAnswers() },
    {
      name: 'without hints',
      strike: () => tell('ACL', 'SETUSER', 'default', 'resetchannels'),
      heal: () => tell('ACL', 'SETUSER', 'default', 'allchannels'),
    },
    {
      name: 'failed over, with the old server read-only',
      strike: () => tell('REPLICAOF', '127.0.0.1', new URL(second.url).port),
      heal: async () => address.switchTo(second.url),
    },
  ];
  return {
    faults,
    async open() {
      [first, second, store] = await Promise.all([makeOwnRedis(), makeOwnRedis(), makeQueueStore('seeded')]);
      address = await makeSwitchableProxy(first.url);
      return { ...store, redisUrl: address.url, drop: async () => {} };
    },
    databaseUrl: () => store.databaseUrl,
    async close() {
      await address.close();
      await Promise.all([first.kill(), second.kill()]);
      await store.drop();
    },
  };
}

export function makeFaultyPostgres(): FaultyStore {
  const disk = makeSmallDisk();
  let postgres: OwnPostgres;
  let address: SwitchableProxy;
  const databaseUrl = () => postgres.store.databaseUrl;
  const tell = (statement: string) => askDatabase(databaseUrl(), statement);
  const start = async () => {
    await postgres.start();
    address.switchTo(databaseUrl());
  };
  const set = (setting: string) =>
    tell(`begin; set local transaction_read_only = off;
      alter database ${new URL(databaseUrl()).pathname.slice(1)} ${setting}; commit;
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
  const faults: StoreFault[] = [
    { name: 'killed, and back at another address', strike: () => postgres.kill(), heal: start },
    { name: 'flushed', strike: () => tell('delete from bullmq.job') },
    { name: 'frozen', strike: async () => postgres.freeze(), heal: async () => postgres.goOn() },
    {
      name: 'full',
      strike: () => disk.fill(),
      // A server that cannot write its log ends.
      heal: () => disk.empty().then(start),
      skipReason: () => disk.skipReason(),
    },
    {
      name: 'read-only',
      strike: () => set('set default_transaction_read_only = on'),
      heal: () => set('reset default_transaction_read_only'),
    },
    { name: 'half-open', strike: async () => address.silence() },
    { name: 'deaf: its calls take effect and fail', strike: async () => address.dropAnswers() },
    {
      name: 'without hints',
      // Found before the one of PostgreSQL.
      strike: () =>
        tell(
          `create schema deaf; create function deaf.pg_notify(text, text) returns void language sql begin atomic end`,
        ).then(() => set('set search_path = deaf, public, pg_catalog')),
      heal: () => set('reset search_path').then(() => tell('drop schema deaf cascade')),
    },
  ];
  return {
    faults,
    async open() {
      const dataDir = disk.mount();
      postgres = await makeOwnPostgres(dataDir === undefined ? {} : { dataDir });
      address = await makeSwitchableProxy(databaseUrl());
      const { port } = new URL(address.url);
      return { ...postgres.store, databaseUrl: Object.assign(new URL(databaseUrl()), { port }).href };
    },
    databaseUrl,
    async close() {
      await address.close();
      await postgres.drop();
      disk.unmount();
    },
  };
}

/** Enough for a server and some minutes of its work. */
const DISK_MB = 400;

/** A file system of its own. Only root may mount one, and not in every container. */
function makeSmallDisk() {
  let folder = '';
  let skipReason: string | undefined;
  const filler = () => join(folder, 'filler');
  return {
    skipReason: () => skipReason,
    /** Returns its folder; undefined where there is none. */
    mount(): string | undefined {
      folder = mkdtempSync(join(tmpdir(), 'parley-small-disk-'));
      const options = `size=${DISK_MB}m,mode=700`;
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' });
        return folder;
      } catch (error) {
        skipReason = `a disk of its own cannot be mounted: ${(error as Error).message}`;
        return undefined;
      }
    },
    fill: () => fillDisk(filler()),
    empty: () => rm(filler()),
    unmount() {
      if (skipReason === undefined) execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'w');
  // Ever smaller, until the last page is taken.
  for (let bytes = 1_048_576; bytes >= 4_096; ) {
    const { bytesWritten } = await file.write(Buffer.alloc(bytes)).catch((error: unknown) => {
      if (!isCode(error, 'ENOSPC')) throw error;
      return { bytesWritten: 0 };
    });
    if (bytesWritten < bytes) bytes /= 2;
  }
  await file.close();
}
