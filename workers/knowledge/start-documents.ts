import { LRUCache } from 'lru-cache';
import { connect } from '../../db/connection.ts';
import { findWaitingImports, type WaitingImport } from '../../db/knowledge/document-imports.ts';
import { MAX_REFRESHING, orderRefreshes } from '../../db/knowledge/refreshes.ts';
import { Gate } from '../../platform/gate.ts';
import { MAX_DOCUMENT_BYTES } from '../../queues/contract/body-limit.ts';
import { ownQueues } from '../../queues/contract/queues.ts';
import type { JobHandler } from '../../queues/transport/consumer.ts';
import type { ModelSettings, Models } from '../model/models.ts';
import { type OwnQueue, type OwnQueueParts, startOwnQueue } from '../runtime/own-queue.ts';
import { type EgressSettings, egressRulesOf, openEgress } from '../tools/egress.ts';
import { openParser, type Parser, parserLimits } from './open-parser.ts';
import { type ImportParts, runImport } from './run-import.ts';

export interface DocumentSettings
  extends EgressSettings,
    Pick<ModelSettings, 'openaiModel' | 'visionModels'> {
  readonly databaseUrl: string;
  /** See `openParser`. */
  readonly parserProgram?: readonly string[] | undefined;
}

interface DocumentJobBody {
  readonly importId: string;
}

/** Imports of addresses that run beside the slots, each of another host: they nearly always wait for servers. */
const MAX_LENT = 4;
const WAIT_FOR_CONNECTION_MS = 30_000;
const LOOK_EVERY_MS = 500;
/** Less than the queue store keeps a finished job, and more than adding all jobs of a rush takes. */
const ADD_AGAIN_MS = 30_000;
const MAX_ADDED = 10_000;

export function startDocuments(
  { model, directory, ...parts }: OwnQueueParts & Pick<Models, 'model' | 'directory'>,
  { databaseUrl, parserProgram, openaiModel, visionModels = [], ...egressSettings }: DocumentSettings,
): OwnQueue {
  const db = connect(databaseUrl, {
    max: ownQueues.documents.connections,
    applicationName: 'parley-documents',
    acquireWithinMs: WAIT_FOR_CONNECTION_MS,
  });
  const egress = openEgress(egressRulesOf(egressSettings));
  const files = egress.files(MAX_DOCUMENT_BYTES);
  // A job that was lost, or whose worker stopped, is added again; the store ignores a job that it still has.
  const added = new LRUCache<string, true>({ max: MAX_ADDED, ttl: ADD_AGAIN_MS });
  return startOwnQueue<WaitingImport>('documents', parts, {
    db,
    egress,
    everyMs: LOOK_EVERY_MS,
    async find() {
      await orderRefreshes(db);
      return (await findWaitingImports(db)).filter(({ id }) => !added.has(id));
    },
    jobOf({ hostId, id, share }) {
      added.set(id, true);
      const body: DocumentJobBody = { importId: id };
      return { jobId: `i${id}`, requestId: id, hostId, share, body };
    },
    release: imports => imports.forEach(({ id }) => added.delete(id)),
    handle: makeRunHandler({
      db,
      egress: files,
      scanModel: { model, directory, visionModels, defaultModel: openaiModel },
      startParser: () => openParser(parserLimits, parserProgram),
    }),
  });
}

interface RunParts extends Pick<ImportParts, 'db' | 'egress' | 'scanModel'> {
  startParser(): Parser;
}

function makeRunHandler({ startParser, ...own }: RunParts): JobHandler['handle'] {
  // Imports that lend their slots also read documents, so as many are read at a time as there are slots, each of another host.
  const reading = new Gate({ maxTotal: ownQueues.documents.slots, maxPerKey: 1 });
  // The pages of a site share a time limit, so they wait neither for others' documents nor for files, which take minutes.
  const readingPages = new Gate({ maxTotal: 1, maxPerKey: 1 });
  const readingFiles = new Gate({ maxTotal: 1, maxPerKey: 1 });
  /** Hosts with an import beside the slots; what nobody ordered takes no place of what a person did. */
  const [lending, refreshing] = [new Set<string>(), new Set<string>()];
  return async ({ body, caller: { hostIds }, signal, reportProgress, lendSlot }) => {
    const { importId } = body as DocumentJobBody;
    const hostId = hostIds[0] ?? '';
    const parser = startParser();
    let reclaimSlot = () => {};
    const onFetching = (isAutomatic: boolean) => {
      const [beside, most] = isAutomatic ? [refreshing, MAX_REFRESHING] : [lending, MAX_LENT];
      if (beside.has(hostId) || beside.size >= most) return;
      beside.add(hostId);
      const reclaim = lendSlot();
      reclaimSlot = () => {
        reclaim();
        beside.delete(hostId);
      };
    };
    const read: Parser['read'] = (request, options) => {
      const gateOfFile = options.isOfSite ? readingFiles : reading;
      const gate = request.mayBeSitemap ? readingPages : gateOfFile;
      return gate.run({ key: hostId, signal: options.signal }, () => parser.read(request, options));
    };
    try {
      const parts = { ...own, parser: { read }, signal, onFetching, onProgress: reportProgress };
      const reason = await runImport(parts, { hostId, importId });
      return { code: 200, data: { reason: reason ?? null } };
    } finally {
      reclaimSlot();
      parser.close();
    }
  };
}
