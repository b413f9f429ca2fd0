import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { generateAgent, listAgents } from './agents.ts';
import { createSubAvatar, editAvatar, listAvatars } from './avatars.ts';
import { createChunk, editChunk, readChunks } from './chunks.ts';
import {
  appendMessage,
  createConversation,
  getConversationInformation,
  updateConversation,
} from './conversations.ts';
import { createDataset, editDataset, linkDatasetAvatar, listDatasets } from './datasets.ts';
import { listFlows, listFlowTemplates, saveFlow } from './flows.ts';
import { makeArrivalBatcher } from './intake/arrival-batcher.ts';
import { receiveRecords } from './intake/receive-record.ts';
import { findJob } from './jobs.ts';
import { listMcpConfigs, saveMcpConfig } from './mcp-configs.ts';
import type { ModelDirectory } from './model/model-directory.ts';
import type { Models } from './model/models.ts';
import { listModels } from './models.ts';
import { conversationalStats } from './reports/conversational-stats.ts';
import { financialStats } from './reports/financial-stats.ts';
import { type KnowledgeFinder, makeKnowledgeFinder } from './retrieval/find-knowledge.ts';
import type { Handlers } from './runtime/job.ts';
import type { WorkerMetrics } from './runtime/metrics.ts';
import type { TaskFailureLog } from './runtime/outage-logs.ts';
import type { Pools } from './runtime/pools.ts';
import { searchHandlers } from './search/handlers.ts';
import { type McpSettings, makeMcp } from './tools/mcp/mcp.ts';
import { makeReason } from './turns/reason.ts';
import { makeTurnClaims } from './turns/turn-claims.ts';

export interface HandlerParts extends Models {
  readonly pools: Omit<Pools, 'close'>;
  readonly log: Logger;
  readonly onToolRun: WorkerMetrics['onToolRun'];
  readonly onTaskFailed: TaskFailureLog;
}

/** Maps each operation to its handler. */
export function makeHandlers(
  { pools, log, directory, model, embedder, onToolRun, onTaskFailed }: HandlerParts,
  settings: McpSettings,
): { handlers: Handlers; close(): Promise<void> } {
  const { general: db, turns } = pools;
  const findKnowledge = makeKnowledgeFinder(turns, embedder, log);
  const closing = new AbortController();
  const claims = makeTurnClaims(pools, findKnowledge, {
    signal: closing.signal,
    onError: err => onTaskFailed(err, 'turn.lease_failed', 'failed to renew turn leases'),
  });
  const mcp = makeMcp(turns, settings, log);
  const storeArrival = makeArrivalBatcher(db);
  const handlers: Handlers = {
    reason: makeReason({ db: turns, model, claims, mcpTools: mcp.tools, onToolRun, log }),
    createConversation,
    getConversationInformation,
    updateConversation,
    appendMessage,
    ...configurationHandlers(db, directory, findKnowledge),
    findJob: findJob(db),
    saveMcpConfig: saveMcpConfig(mcp.seal, mcp.rules),
    listMcpConfigs,
    receiveTicket: receiveRecords(db, storeArrival, 'tickets'),
    receiveDeal: receiveRecords(db, storeArrival, 'deals'),
    receiveObject: receiveRecords(db, storeArrival, 'objects'),
    listAgents,
    generateAgent: generateAgent({ model, log }),
    ...searchHandlers(pools, log),
    conversationalStats,
    financialStats,
  };
  const close = async () => {
    closing.abort();
    await mcp.close();
  };
  return { handlers, close };
}

/** What a host configures: assistants, knowledge, flows. */
function configurationHandlers(db: Db, directory: ModelDirectory, findKnowledge: KnowledgeFinder) {
  return {
    listAvatars,
    editAvatar: editAvatar(directory),
    createSubAvatar: createSubAvatar(directory),
    listDatasets,
    createDataset,
    editDataset,
    linkDatasetAvatar,
    createChunk,
    editChunk,
    readChunks: readChunks(db, findKnowledge),
    listFlows,
    listFlowTemplates,
    saveFlow: saveFlow(directory),
    listModels: listModels(directory),
  } satisfies Partial<Handlers>;
}
