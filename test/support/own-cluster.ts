import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { type OwnRedis, RedisServer, startOnFreePort } from './redis-server.ts';

const MASTERS = 3;
const SLOTS = 16_384;
const LEFT_SLOT = 0;

/** A cluster of three masters, each with a replica. What an `OwnRedis` does, it does to all of them. */
export interface OwnCluster extends OwnRedis {
  killMasterOf(key: string): Promise<void>;
  /** The same by SIGSTOP, where connections stay open; the returned function lets it go on. */
  freezeMasterOf(key: string): Promise<() => void>;
  /** Nobody serves one slot any more, so that the cluster refuses all keys; the returned function ends that. */
  leaveOneSlot(): Promise<() => Promise<void>>;
  /** Resolves when the replica of the killed master has its keys. */
  waitForFailover(): Promise<void>;
}

interface ClusterNode {
  readonly server: RedisServer;
  readonly busPort: number;
}

/** A node, and a connection to it. */
interface AskedNode extends ClusterNode {
  readonly admin: Redis;
}

/** `nodeTimeoutMs`: how long a master is silent until its replica takes over. */
export async function makeOwnCluster({ nodeTimeoutMs = 5_000 } = {}): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-cluster-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const making = Array.from({ length: 2 * MASTERS }, () => startNode(folder, nodeTimeoutMs));
  const nodes = await Promise.all(making);
  await ask(nodes, joinNodes);
  let lost: { readonly key: string; readonly node: ClusterNode } | undefined;
  const loseMasterOf = async (key: string) => {
    const port = await ask(nodes, ([first]) => masterOf(first, key));
    const node = nodes.find(({ server }) => server.port === port);
    if (!node) throw new Error(`no master has ${key}`);
    lost = { key, node };
    return node.server;
  };
  return {
    url: nodes.map(({ server }) => `redis://127.0.0.1:${server.port}`).join(','),
    kill: async () => void (await Promise.all(nodes.map(({ server }) => server.kill()))),
    async start() {
      await Promise.all(nodes.map(({ server }) => server.start()));
      await ask(nodes, waitUntilWhole);
    },
    freeze: () => nodes.forEach(({ server }) => server.freeze()),
    goOn: () => nodes.forEach(({ server }) => server.goOn()),
    async killMasterOf(key) {
      await (await loseMasterOf(key)).kill();
    },
    async freezeMasterOf(key) {
      const server = await loseMasterOf(key);
      server.freeze();
      return () => server.goOn();
    },
    async leaveOneSlot() {
      await ask(nodes, asked => Promise.all(asked.map(leaveSlot)));
      return () =>
        ask(nodes, async asked => {
          await asked[0].admin.cluster('ADDSLOTS', LEFT_SLOT);
          await waitUntilWhole(asked);
        });
    },
    async waitForFailover() {
      const { key = '', node } = lost ?? {};
      const others = nodes.filter(other => other !== node);
      const movedIn = async (asked: AskedNode) => (await masterOf(asked, key)) !== node?.server.port;
      await ask(others, ([first]) => eventually(() => movedIn(first), true));
    },
  };
}

async function startNode(folder: string, nodeTimeoutMs: number): Promise<ClusterNode> {
  let busPort = 0;
  const server = await startOnFreePort(async port => {
    busPort = await getPort();
    const settings = {
      'cluster-enabled': 'yes',
      'cluster-port': busPort,
      'cluster-config-file': join(folder, `nodes-${port}.conf`),
      'cluster-node-timeout': nodeTimeoutMs,
      'cluster-replica-validity-factor': 0,
      'repl-diskless-sync-delay': 0,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return new RedisServer(port, args);
  });
  return { server, busPort };
}

async function ask<T>(
  nodes: readonly ClusterNode[],
  work: (nodes: [AskedNode, ...AskedNode[]]) => Promise<T>,
): Promise<T> {
  const asked = nodes.map(node => ({ ...node, admin: new Redis(node.server.port) }));
  return work(asked as [AskedNode, ...AskedNode[]]).finally(() => {
    for (const { admin } of asked) admin.disconnect();
  });
}

/** As `redis-cli --cluster create`, which waits for longer. */
async function joinNodes(nodes: readonly AskedNode[]): Promise<void> {
  const [masters, replicas] = [nodes.slice(0, MASTERS), nodes.slice(MASTERS)];
  const firstSlot = (master: number) => Math.ceil((master * SLOTS) / MASTERS);
  const prepare = async ({ admin }: AskedNode, at: number) => {
    await admin.cluster('SET-CONFIG-EPOCH', at + 1);
    if (at < MASTERS) await admin.cluster('ADDSLOTSRANGE', firstSlot(at), firstSlot(at + 1) - 1);
  };
  await Promise.all(nodes.map(prepare));
  const meet = async ({ admin }: AskedNode, at: number) => {
    for (const { server, busPort } of nodes.slice(at + 1))
      await admin.call('CLUSTER', 'MEET', '127.0.0.1', String(server.port), String(busPort));
  };
  await Promise.all(nodes.map(meet));
  const replicate = async ({ admin }: AskedNode, at: number) => {
    const id = String(await masters[at]?.admin.cluster('MYID'));
    await eventually(() => admin.cluster('REPLICATE', id).catch(() => 'not known yet'), 'OK');
  };
  await Promise.all(replicas.map(replicate));
  await waitUntilWhole(nodes);
}

/** Each node has heard that all slots are served, and of a replica for each master. */
async function waitUntilWhole(nodes: readonly AskedNode[]): Promise<void> {
  const isWhole = async ({ admin }: AskedNode) => {
    const state = await admin.cluster('INFO');
    const ranges = (await admin.cluster('SLOTS')) as unknown[][];
    const link = /master_link_status:(\w+)/.exec(await admin.info('replication'))?.[1] ?? 'up';
    return state.includes('cluster_state:ok') && ranges.every(range => range.length > 3) && link === 'up';
  };
  const waitFor = (node: AskedNode) => eventually(() => isWhole(node), true);
  await Promise.all(nodes.map(waitFor));
}

/** Of the first master. Others may hear of it as served until that has told them. */
async function leaveSlot({ admin }: AskedNode): Promise<void> {
  await eventually(
    async () => {
      await admin.cluster('DELSLOTS', LEFT_SLOT).catch(() => undefined);
      return admin.cluster('INFO');
    },
    state => state.includes('cluster_state:fail'),
  );
}

/** The port of the master of a key, as this node has heard. */
async function masterOf({ admin }: AskedNode, key: string): Promise<number | undefined> {
  const slot = await admin.cluster('KEYSLOT', key);
  const ranges = await admin.cluster('SLOTS');
  return ranges.find(([first, last]) => first <= slot && slot <= last)?.[2]?.[1];
}
