import { randomBytes, randomUUID } from 'node:crypto';
import { destination } from 'pino';
import type { Db } from '../db/connection.ts';
import { type Host, listHosts } from '../db/hosts/hosts.ts';
import { readConfig } from '../platform/config.ts';
import { makeLog } from '../platform/log.ts';
import { makeObjectStore } from '../platform/object-store.ts';
import { makeFileStoreOutageLog } from '../platform/outage-log.ts';
import { storableValue } from '../platform/storable-text.ts';
import { NIL_UUID } from '../platform/uuid.ts';
import { checkBody } from '../queues/contract/check-body.ts';
import { failure, type Outcome } from '../queues/contract/failure.ts';
import { takesBytes, tokenScopes } from '../queues/contract/operation.ts';
import { type DataOf, type OperationName, operationOf } from '../queues/contract/operations/index.ts';
import { partOf, spellingOf } from '../queues/contract/shape.ts';
import type { Job } from '../queues/transport/consumer.ts';
import { makeHandlers } from '../workers/handlers.ts';
import { openHostProviders } from '../workers/model/host-providers.ts';
import { makeModels } from '../workers/model/models.ts';
import { makeSpendLedger } from '../workers/model/spend-ledger.ts';
import { makeOutageLogs } from '../workers/outage-logs.ts';
import { makeJobHandler } from '../workers/runtime/job-handler.ts';
import { findDatabaseUrl } from './database-url.ts';
import { commandActorOf, findSecretKey } from './with-database.ts';

/*
 * An operation, run in the process of a command as a worker would run it: with the same check of its body, the same handler and the
 * same transaction, and with the rights of operators. The service need not run, and hears nothing of it. Who runs it is the
 * operating-system user, which the audit names.
 */

/** A document or an attachment comes in parts of a request that only the API takes; a description is text in the body, a message need not have any. */
export function isForCommands(name: OperationName): boolean {
  const { extras = [] } = operationOf(name);
  return name === 'appendMessage' || extras.includes('description') || !takesBytes({ extras });
}

export type Fields = Readonly<Record<string, unknown>>;

/** `hosts` are the slugs of those that it is for; none: the only host, or all where the operation is for all. */
export async function runOperation<N extends OperationName>(
  db: Db,
  name: N,
  fields: Fields,
  hosts?: readonly string[],
): Promise<Outcome<DataOf<N>>> {
  const { body: shape } = operationOf(name);
  const { hostIds, named } = await chooseHosts(db, name, fields, hosts);
  const { value, errors, ignored } = checkBody(shape, { ...fields, ...named }, { mayRespell: true });
  if (errors.length > 0) return failure('body-invalid', { fields: errors });
  if (ignored.length > 0)
    process.stderr.write(`Ignored, because ${name} has no such fields: ${ignored.join(', ')}\n`);
  return withHandler(db, handle => handle(makeJob(name, storableValue(value), hostIds))) as Promise<
    Outcome<DataOf<N>>
  >;
}

/** Returns the hosts of the job, and the fields of the body that name them. */
async function chooseHosts(db: Db, name: OperationName, fields: Fields, slugs?: readonly string[]) {
  // An empty variable of a shell must not stand for all hosts.
  if (slugs?.length === 0) throw new Error('--host needs the slug of a host.');
  const known = await listHosts(db);
  const chosen = [...new Set(slugs)].map(slug => {
    const host = known.find(each => each.slug === slug);
    if (!host) throw new Error(`There is no host "${slug}".`);
    return host;
  });
  const { body, hosts: span } = operationOf(name);
  const part = partOf(body);
  const filled = (values: Fields) =>
    Object.fromEntries(
      Object.entries(values).filter(
        ([field]) => part.kind === 'object' && part.spellings.has(spellingOf(field)),
      ),
    );
  if (span === 'all') {
    const hostIds = (chosen.length > 0 ? chosen : known).map(({ id }) => id);
    return { hostIds, named: chosen.length > 0 ? filled({ hostIds }) : {} };
  }
  const names = Object.entries(fields).flatMap(([field, value]) =>
    hostNames.has(spellingOf(field)) && typeof value === 'string' ? value.toLowerCase() : [],
  );
  const isWanted = ({ id, slug }: Host) => names.every(each => each === id || each === slug);
  const [host, ...others] = (chosen.length > 0 ? chosen : known).filter(isWanted);
  if (!host || others.length > 0)
    throw new Error(
      `Name one host by --host: there are ${known.map(({ slug }) => slug).join(', ') || 'none'}.`,
    );
  return { hostIds: [host.id], named: filled({ hostId: host.id, hostSlug: host.slug }) };
}

/** Fields of a body that name its host, by their spelling. */
const hostNames = new Set(['hostId', 'hostSlug', 'choosenHostId'].map(spellingOf));

function makeJob(operation: OperationName, body: unknown, hostIds: readonly string[]): Job {
  const { queue, timeLimitMs = LIMIT_MS } = operationOf(operation);
  const deadline = Date.now() + timeLimitMs;
  return {
    jobId: `k${randomBytes(16).toString('hex')}`,
    requestId: randomUUID(),
    operation,
    queue,
    body,
    caller: {
      tokenId: NIL_UUID,
      tokenName: commandActorOf(operation).name,
      scopes: tokenScopes,
      hostIds,
      isCommand: true,
    },
    arrivedAt: Date.now(),
    deadline,
    isRerun: false,
    bodyMac: undefined,
    signal: AbortSignal.timeout(timeLimitMs),
    remainingMs: () => deadline - Date.now(),
    waitForCancellations: () => Promise.resolve(),
    lendSlot: () => () => {},
    notifyRequesterOf: () => Promise.resolve(),
    reportProgress: () => Promise.resolve(),
  };
}

/** A replay of many records, or a recount of reports, may take long. */
const LIMIT_MS = 3_600_000;

async function withHandler<T>(
  db: Db,
  work: (handle: (job: Job) => Promise<Outcome<unknown>>) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const settings = {
    ...config,
    databaseUrl: await findDatabaseUrl(config),
    secretKey: await findSecretKey(config),
  };
  // Standard output has the answer alone.
  const log = makeLog('command', config.logLevel === 'info' ? 'warn' : config.logLevel, destination(2));
  const { onTaskFailed, database } = makeOutageLogs(log);
  const pools = { turns: db, leases: db, spend: db, heavy: db, trials: db, hosts: db, owner: db };
  const ledger = makeSpendLedger({ db, prices: config.modelPrices ?? {}, onTaskFailed });
  const hostProviders = openHostProviders(db, settings);
  const models = makeModels(settings, { onCall: () => {}, ledger, hostProviders });
  const objects = makeObjectStore(settings, makeFileStoreOutageLog(log));
  const metrics = { onToolRun: () => {}, onAnswer: () => {}, onTurn: () => {}, onGap: () => {} };
  const { handlers, close } = makeHandlers(
    { pools, databaseUrl: settings.databaseUrl, log, objects, metrics, onTaskFailed, ...models },
    settings,
  );
  try {
    return await work(makeJobHandler(db, handlers, database, pools).handle);
  } finally {
    await close();
    await hostProviders.close();
    await ledger.close();
  }
}
