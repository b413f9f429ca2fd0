import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { vector } from '@electric-sql/pglite-pgvector';
import { connect, type Db } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { seed } from '../../db/seed.ts';
import { migrateQueues } from '../../queues/transport/backend.ts';
import { provideBytes } from '../support/cached-cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type QueueStore, textOfStore } from '../support/queue-store.ts';

/*
 * A real PostgreSQL with pgvector, from npm packages only. It has one session, which this server lends to one
 * connection at a time: for a message, or until the transaction ends. So no connection waits for a lock of another,
 * and of the connections' settings only the search path is separate. Notifications reach every connection that has
 * ever listened.
 */

interface VectorServer {
  readonly url: string;
  close(): Promise<void>;
}

const READY_IDLE = 'I'.charCodeAt(0);
const NOTIFICATION = 'A'.charCodeAt(0);
const hello = [
  frame('R', Buffer.from([0, 0, 0, 0])),
  ...Object.entries({
    server_version: '18.0',
    client_encoding: 'UTF8',
    standard_conforming_strings: 'on',
  }).map(([name, value]) => frame('S', Buffer.from(`${name}\0${value}\0`))),
  frame('K', Buffer.alloc(8)),
  frame('Z', Buffer.from('I')),
];

const extensions = { vector, pg_trgm, unaccent };

async function startVectorServer(session: PGlite): Promise<VectorServer> {
  let free: Promise<void> = Promise.resolve();
  const borrow = async (): Promise<() => void> => {
    const before = free;
    let giveBack = () => {};
    free = new Promise(resolve => (giveBack = resolve));
    await before;
    return giveBack;
  };
  const sockets = new Set<Socket>();
  const listeners = new Set<Socket>();
  let connections = 0;
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => [sockets, listeners].map(all => all.delete(socket)));
    void serve(socket, `${(connections += 1)}:`, session, borrow, listeners);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres:none@127.0.0.1:${port}/postgres`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      await session.close();
    },
  };
}

async function serve(
  socket: Socket,
  prefix: string,
  session: PGlite,
  borrow: () => Promise<() => void>,
  listeners: Set<Socket>,
): Promise<void> {
  let giveBack: (() => void) | undefined;
  let group: Buffer[] = [];
  let searchPath = 'default';
  const run = (message: Buffer) => session.execProtocolRaw(message, { syncToFs: false });
  try {
    for await (const { type, message } of messagesOf(socket)) {
      if (type === 'X') break;
      if (type === 'start') searchPath = searchPathIn(message);
      if (type === 'start') continue;
      group.push(prefixStatement(type, message, prefix));
      if (type !== 'Q' && type !== 'S') continue;
      if (!giveBack) {
        giveBack = await borrow();
        await run(frame('Q', Buffer.from(`set search_path to ${searchPath}\0`)));
      }
      const asked = Buffer.concat(group);
      group = [];
      if (/\blisten\b/i.test(asked.toString())) listeners.add(socket);
      const { answer, notified } = sortedOf(await run(asked));
      for (const listener of listeners) listener.write(notified);
      socket.write(answer);
      if (answer.at(-1) !== READY_IDLE) continue;
      giveBack();
      giveBack = undefined;
    }
  } catch {
    // The connection is broken.
  }
  if (giveBack) {
    await run(frame('Q', Buffer.from('rollback\0')));
    giveBack();
  }
  socket.end();
}

/** Complete messages; the first is the startup message. */
async function* messagesOf(socket: Socket): AsyncGenerator<{ type: string; message: Buffer }> {
  let rest = Buffer.alloc(0);
  let isGreeted = false;
  for await (const data of socket) {
    rest = Buffer.concat([rest, data as Buffer]);
    while (rest.length >= (isGreeted ? 5 : 4)) {
      const size = rest.readUInt32BE(isGreeted ? 1 : 0) + (isGreeted ? 1 : 0);
      if (rest.length < size) break;
      const message = rest.subarray(0, size);
      rest = rest.subarray(size);
      yield { type: isGreeted ? String.fromCharCode(message[0] ?? 0) : 'start', message };
      if (!isGreeted) socket.write(Buffer.concat(hello));
      isGreeted = true;
    }
  }
}

/** Separates responses from notifications for all listeners. */
function sortedOf(data: Uint8Array): { answer: Buffer; notified: Buffer } {
  const rest = Buffer.from(data);
  const answer: Buffer[] = [];
  const notified: Buffer[] = [];
  for (let at = 0; at < rest.length; ) {
    const end = at + 1 + rest.readUInt32BE(at + 1);
    (rest[at] === NOTIFICATION ? notified : answer).push(rest.subarray(at, end));
    at = end;
  }
  return { answer: Buffer.concat(answer), notified: Buffer.concat(notified) };
}

function searchPathIn(start: Buffer): string {
  return /-c search_path=([^\s\0]+)/.exec(start.toString())?.[1] ?? 'default';
}

/** Prefixes the names of prepared statements, so that connections do not share them. */
function prefixStatement(type: string, message: Buffer, prefix: string): Buffer {
  const body = message.subarray(5);
  if (type === 'P') return frame(type, Buffer.concat([renameStatement(body, 0, prefix)]));
  if (type === 'B') return frame(type, renameStatement(body, body.indexOf(0) + 1, prefix));
  const isOfStatement = (type === 'D' || type === 'C') && body[0] === 'S'.charCodeAt(0);
  return isOfStatement ? frame(type, renameStatement(body, 1, prefix)) : message;
}

function renameStatement(body: Buffer, at: number, prefix: string): Buffer {
  if (body[at] === 0) return body;
  return Buffer.concat([body.subarray(0, at), Buffer.from(prefix), body.subarray(at)]);
}

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** A migrated, empty database with pgvector; the tables for vectors are not created yet. */
export async function makeVectorDatabase(): Promise<VectorServer & { readonly db: Db }> {
  // To migrate takes several times as long as to load what was migrated.
  const dump = await provideBytes('vectors', dumpMigrated);
  const server = await startVectorServer(await PGlite.create({ extensions, loadDataDir: new Blob([dump]) }));
  const db = connect(server.url, { max: 4, acquireWithinMs: 60_000 });
  const close = async () => {
    await db.destroy();
    await server.close();
  };
  return { ...server, db, close };
}

async function dumpMigrated(): Promise<Uint8Array> {
  const session = await PGlite.create({ extensions });
  const server = await startVectorServer(session);
  const db = connect(server.url, { max: 4 });
  await migrate(db);
  await db.destroy();
  const dump = await session.dumpDataDir('none');
  await server.close();
  return dump.bytes();
}

/** The same with the demonstration hosts and queues, for a whole service. */
export async function makeVectorStore(): Promise<QueueStore> {
  const { url: databaseUrl, db, close } = await makeVectorDatabase();
  await seed(db);
  await migrateQueues(databaseUrl);
  const store = { databaseUrl, redisUrl: undefined };
  return { ...store, storedText: () => textOfStore(store), drop: close };
}

export async function untilEmbedded(db: Db): Promise<void> {
  await eventually(() => db('chunk_embeddings').where({ space: '' }).pluck('chunk_id'), []);
}
