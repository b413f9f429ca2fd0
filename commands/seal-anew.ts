import type { Db } from '../db/connection.ts';
import { setActor } from '../db/hosts/actor.ts';
import { secretLabelOf } from '../db/intake/crm-sources.ts';
import {
  lockSealedRows,
  type SealedKind,
  type SealedRow,
  sealedKinds,
  storeSealedRows,
} from '../db/sealed-secrets.ts';
import { makeFileKeySeal } from '../platform/file-seal.ts';
import { makeSeal, type Seal, type SecretKeys } from '../platform/seal.ts';
import { NIL_UUID } from '../platform/uuid.ts';
import { labelOfKey, makeProviderSeal } from '../workers/model/host-providers.ts';
import { makeRestSeal } from '../workers/tools/rest/rest.ts';
import { labelOfValue } from '../workers/tools/sealed-values.ts';
import { makeWebhookSeal } from '../workers/tools/webhook-secrets.ts';
import { commandActorOf } from './with-database.ts';

/** The rows of a batch stay locked together, for some milliseconds. */
const BATCH = 200;
const MAX_HOSTS_NAMED = 20;

interface Kind {
  readonly makeSeal: (keys: SecretKeys) => Seal;
  /** The label to which the secret of this name is bound. */
  readonly labelOf: (row: SealedRow, name: string) => string;
  readonly cure: string;
}

type RowKey = Pick<SealedRow, 'hostId' | 'id'>;

interface Batch {
  /** How many rows were sealed anew. */
  readonly sealed: number;
  /** Hosts of rows that no key opens. */
  readonly unreadable: readonly string[];
  /** Undefined after the last row. */
  readonly last: RowKey | undefined;
}

const kinds: Readonly<Record<SealedKind, Kind>> = {
  'MCP servers': {
    makeSeal: keys => makeSeal(keys, 'mcp header'),
    labelOf: ({ id }, name) => labelOfValue(id, name),
    cure: 'save their headers again',
  },
  'REST tools': {
    makeSeal: makeRestSeal,
    labelOf: ({ id }, name) => labelOfValue(id, name),
    cure: 'save their secrets again',
  },
  sources: {
    makeSeal: keys => makeSeal(keys, 'source secret'),
    labelOf: ({ id }) => secretLabelOf(id),
    cure: 'run mapping rotate-source for each',
  },
  webhooks: {
    makeSeal: makeWebhookSeal,
    labelOf: ({ id }) => id,
    cure: 'send rotateSecret for each',
  },
  'providers of models': {
    makeSeal: makeProviderSeal,
    labelOf: ({ hostId, id }) => labelOfKey({ hostId, name: id }),
    cure: 'save their keys again',
  },
  files: {
    makeSeal: makeFileKeySeal,
    labelOf: ({ id }) => id,
    cure: 'nobody can read these',
  },
};

/**
 * Seals with SECRET_KEY all secrets that a previous key sealed. Each batch is a transaction, and secrets with the current key
 * stay as they are: an operator may kill this at any moment and run it again. Returns what was done, and the secrets that no key
 * opens, which stay.
 */
export async function sealSecretsAnew(db: Db, keys: SecretKeys): Promise<string[]> {
  const lines: string[] = [];
  for (const kind of sealedKinds) {
    const unreadable = new Map<string, number>();
    let count = 0;
    let after: RowKey | undefined = { hostId: NIL_UUID, id: '' };
    while (after) {
      const from: RowKey = after;
      const batch: Batch = await db.transaction(tx => sealBatch(tx, kind, keys, from));
      count += batch.sealed;
      for (const host of batch.unreadable) unreadable.set(host, (unreadable.get(host) ?? 0) + 1);
      after = batch.last;
    }
    if (count > 0) lines.push(`Sealed anew with SECRET_KEY: the secrets of ${count} ${kind}.`);
    if (unreadable.size > 0) lines.push(lineOfUnreadable(kind, unreadable));
  }
  return lines;
}

async function sealBatch(tx: Db, kind: SealedKind, keys: SecretKeys, after: RowKey): Promise<Batch> {
  await setActor(tx, commandActorOf('release'));
  const seal = kinds[kind].makeSeal(keys);
  const rows = await lockSealedRows(tx, kind, { after, limit: BATCH });
  const read = await Promise.all(rows.map(row => sealRow(seal, kind, row)));
  const changed = read.filter(({ sealed }) => Object.keys(sealed).length > 0);
  if (changed.length > 0) await storeSealedRows(tx, kind, changed);
  const unreadable = read.filter(({ isUnreadable }) => isUnreadable).map(({ host }) => host);
  return { sealed: changed.length, unreadable, last: rows.length === BATCH ? rows.at(-1) : undefined };
}

/**
 * Returns the row with only the secrets that are sealed anew. Secrets that were replaced meanwhile are sealed with the current
 * key.
 */
async function sealRow(seal: Seal, kind: SealedKind, row: SealedRow) {
  const sealed: Record<string, string> = {};
  let isUnreadable = false;
  for (const [name, text] of Object.entries(row.sealed)) {
    const anew = await seal.sealAnew(text, kinds[kind].labelOf(row, name)).catch(() => undefined);
    if (anew === undefined) isUnreadable ||= !name.startsWith('earlier');
    else if (anew !== text) sealed[name] = anew;
  }
  return { ...row, sealed, isUnreadable };
}

function lineOfUnreadable(kind: SealedKind, hosts: ReadonlyMap<string, number>): string {
  const named = [...hosts].slice(0, MAX_HOSTS_NAMED).map(([host, count]) => `${host} (${count})`);
  const more = hosts.size > named.length ? ` and ${hosts.size - named.length} more hosts` : '';
  const all = [...hosts.values()].reduce((sum, count) => sum + count, 0);
  return `Neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens the secrets of ${all} ${kind} of ${named.join(', ')}${more}: ${kinds[kind].cure}, or give the key that they were sealed with in SECRET_KEY_PREVIOUS.`;
}
