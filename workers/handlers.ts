import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { generateAgent } from './agents/generate-agent.ts';
import { listAgents } from './agents/list-agents.ts';
import { createSubAvatar } from './avatars/create-sub-avatar.ts';
import { editAvatar } from './avatars/edit-avatar.ts';
import { listAvatars } from './avatars/list-avatars.ts';
import { appendMessage } from './conversations/append-message.ts';
import { createConversation } from './conversations/create-conversation.ts';
import { getConversationInformation } from './conversations/get-conversation-information.ts';
import { updateConversation } from './conversations/update-conversation.ts';
import { type KnowledgeFinder, makeKnowledgeFinder } from './find-knowledge.ts';
import { listFlowTemplates } from './flows/list-flow-templates.ts';
import { listFlows } from './flows/list-flows.ts';
import { saveFlow } from './flows/save-flow.ts';
import { makeKeeper } from './intake/keep-arrivals.ts';
import { receiveRecords } from './intake/receive-record.ts';
import type { Handlers } from './job.ts';
import { findJob } from './jobs/find-job.ts';
import { createChunk } from './knowledge/create-chunk.ts';
import { createDataset } from './knowledge/create-dataset.ts';
import { editChunk } from './knowledge/edit-chunk.ts';
import { editDataset } from './knowledge/edit-dataset.ts';
import { linkDatasetAvatar } from './knowledge/link-dataset-avatar.ts';
import { listDatasets } from './knowledge/list-datasets.ts';
import { readChunks } from './knowledge/read-chunks.ts';
import { type McpSettings, makeMcp } from './mcp/mcp.ts';
import type { WorkerMetrics } from './metrics.ts';
import { listModels } from './model/list-models.ts';
import type { ModelDirectory } from './model/model-directory.ts';
import type { Models } from './model/models.ts';
import type { Pools } from './pools.ts';
import { makeTurnClaims } from './reasoning/claim-turn.ts';
import { makeReason } from './reasoning/reason.ts';
import { conversationalStats } from './reports/conversational-stats.ts';
import { financialStats } from './reports/financial-stats.ts';
import { searchHandlers } from './search/handlers.ts';

export type HandlerSettings = McpSettings;

export interface HandlerParts extends Models {
  readonly pools: Omit<Pools, 'close'>;
  readonly log: Logger;
  readonly onToolRun: WorkerMetrics['onToolRun'];
}

/** Who answers what: the one place where operations meet their work. */
export function makeHandlers(
  { pools, log, directory, model, embedder, onToolRun }: HandlerParts,
  settings: HandlerSettings,
): { handlers: Handlers; close(): Promise<void> } {
  const { rest: db, turns } = pools;
  const findKnowledge = makeKnowledgeFinder(turns, embedder, log);
  const claims = makeTurnClaims(pools, findKnowledge, error =>
    log.warn({ err: error }, 'leases of running turns were not renewed'),
  );
  const mcp = makeMcp(turns, settings, log);
  const keepArrival = makeKeeper(db);
  const handlers: Handlers = {
    reason: makeReason({ db: turns, model, claims, outsideTools: mcp.tools, onToolRun, log }),
    createConversation,
    getConversationInformation,
    updateConversation,
    appendMessage,
    ...catalogHandlers(db, directory, findKnowledge),
    findJob: findJob(db),
    ...mcp.handlers,
    receiveTicket: receiveRecords(db, keepArrival, 'tickets'),
    receiveDeal: receiveRecords(db, keepArrival, 'deals'),
    receiveObject: receiveRecords(db, keepArrival, 'objects'),
    listAgents,
    generateAgent: generateAgent({ model, log }),
    ...searchHandlers(db, log),
    conversationalStats,
    financialStats,
  };
  const close = async () => {
    claims.close();
    await mcp.close();
  };
  return { handlers, close };
}

/** What stands around the assistant. */
function catalogHandlers(db: Db, directory: ModelDirectory, findKnowledge: KnowledgeFinder) {
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
