import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { expect } from 'chai';
import {
  channelMessageOf,
  openSearchChannel,
  searchChangeOf,
  withReconcileLock,
} from '../../db/search/channel.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

/* A connection to a server that hangs: it is open, but nothing arrives. */
describe('a connection of the search pipeline to a database that hangs', () => {
  let database: TestDatabase;
  let url: string;
  let hang: () => void;
  let close: () => Promise<void>;
  beforeEach(async () => {
    database = await makeDatabase('empty');
    const sockets: Socket[] = [];
    const { hostname, port } = new URL(database.url);
    const server = createServer(near => {
      const far = dial(Number(port), hostname);
      near.pipe(far).pipe(near);
      sockets.push(near, far);
      for (const socket of [near, far]) socket.on('error', () => {});
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const through = new URL(database.url);
    through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    url = through.href;
    hang = () => {
      for (const socket of sockets) socket.unpipe().pause();
    };
    close = async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    };
  });
  afterEach(async () => {
    await close();
    await database.drop();
  });

  it('is given up, by the relay and by who reconciles', async () => {
    const channel = await openSearchChannel(url, () => {});
    await withReconcileLock(url, async () => hang());
    await channel.close();
    expect(channel.isOpen).to.equal(false);
  });
});

describe('the search channel', () => {
  const database = openOnce(() => makeDatabase('empty'));

  it('takes a change as it was told, and none whose table, kind or id is not ours', () => {
    const change = { originTable: 'leads', operation: 'UPDATE', originId: randomUUID() } as const;
    expect(searchChangeOf(channelMessageOf(change))).to.deep.equal(change);
    const told = JSON.parse(channelMessageOf(change));
    for (const wrong of [
      { origin_table: 'hosts' },
      { operation: 'DROP' },
      { origin_id: 'x' },
      { origin_id: 7 },
    ])
      expect(searchChangeOf(JSON.stringify({ ...told, ...wrong }))).to.equal(undefined);
  });

  it('brings what others tell and not what its own session tells, which would go round for ever', async () => {
    const heard: string[][] = [[], []];
    const [one, other] = await Promise.all(
      heard.map(payloads => openSearchChannel(database.url, payload => payloads.push(payload))),
    );
    const change = { originTable: 'leads', operation: 'UPDATE' } as const;
    const ids = [randomUUID(), randomUUID()];
    await one?.notify([{ ...change, originId: ids[0] ?? '' }]);
    await other?.notify([{ ...change, originId: ids[1] ?? '' }]);
    // A message comes before the answer to what is asked after it was sent.
    await Promise.all([one?.ping(), other?.ping()]);
    await Promise.all([one?.close(), other?.close()]);
    const told = heard.map(payloads => payloads.map(payload => JSON.parse(payload).origin_id));
    expect(told).to.deep.equal([[ids[1]], [ids[0]]]);
  });
});
