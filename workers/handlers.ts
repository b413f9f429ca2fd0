import type { Logger } from 'pino';
import { makeFileSeal } from '../platform/file-seal.ts';
import type { ObjectStore } from '../platform/object-store.ts';
import type { TaskFailureLog } from '../platform/outage-log.ts';
import { MAX_DOCUMENT_BYTES } from '../queues/contract/body-limit.ts';
import { failure } from '../queues/contract/failure.ts';
import { deleteAgent, saveAgent, saveAgents } from './assistants/agent-changes.ts';
import { listAgents, makeGenerateAgent, readAgent } from './assistants/agents.ts';
import { listApprovedAnswers, saveApprovedAnswer } from './assistants/approved-answers.ts';
import {
  listAvatars,
  listEvaluationCases,
  makeCreateSubAvatar,
  makeEditAvatar,
  readAvatar,
  saveEvaluationCases,
} from './assistants/avatars.ts';
import { makeChatModelHandlers } from './assistants/chat-models.ts';
import { listFlowVersions, makeRestoreFlowVersion } from './assistants/flow-versions.ts';
import { listFlows, listFlowTemplates, makeSaveFlow } from './assistants/flows.ts';
import { listMcpConfigs, makeSaveMcpConfig } from './assistants/mcp-configs.ts';
import { listRestCalls, makeTryRestTool } from './assistants/rest-calls.ts';
import { makeReadOpenApi } from './assistants/rest-descriptions.ts';
import { listRestTools, makeSaveRestTool } from './assistants/rest-tools.ts';
import { listSiteChats, saveSiteChat } from './assistants/site-chats.ts';
import type { BackgroundSettings } from './background.ts';
import { listConsents, saveConsent } from './conversations/consents.ts';
import { listConversations, listMessages } from './conversations/conversation-list.ts';
import {
  createConversation,
  makeAppendMessage,
  makeGetConversationInformation,
  updateConversation,
} from './conversations/conversations.ts';
import { saveFeedback } from './conversations/feedback.ts';
import { makeReadResponse } from './conversations/responses.ts';
import type { DescriptionReader } from './domain/rest-tools/described-choice.ts';
import {
  listDeliveries,
  listWebhooks,
  makeSaveWebhook,
  replayDeliveries,
  testWebhook,
} from './events/webhooks.ts';
import { listHostProviders, makeSaveHostProvider } from './hosts/host-providers.ts';
import {
  listAudit,
  listContracts,
  listSavedReplies,
  makeCreateHost,
  makeListHosts,
  makeSaveHost,
  saveContract,
  saveSavedReply,
} from './hosts/hosts.ts';
import { endSessions, invitePerson, listColleagues, listPeople, savePerson } from './hosts/people.ts';
import { listTeams, readAttendance, saveAttendance, saveTeam } from './hosts/teams.ts';
import { issueToken, makeListTokens, revokeToken } from './hosts/tokens.ts';
import { makeBackgroundMapper } from './intake/background-mapper.ts';
import { listMappings, saveMapping, tryMapping } from './intake/mappings.ts';
import { makeArrivalBatcher, makeReceiveRecords, makeTogetherMapper } from './intake/receive-records.ts';
import { listIntakeRecords, listLeads, listTickets } from './intake/record-lists.ts';
import { makeReplayRecords } from './intake/replay-records.ts';
import { listSources, makeSaveSource } from './intake/sources.ts';
import { makeFindJob } from './jobs.ts';
import { createChunk, makeEditChunk, makeReadChunks, readCitedPassage } from './knowledge/chunks.ts';
import { listContradictions, resolveContradiction } from './knowledge/contradictions.ts';
import {
  createDataset,
  editDataset,
  linkDatasetAvatar,
  listDatasets,
  unlinkDatasetAvatar,
} from './knowledge/datasets.ts';
import {
  deleteDocument,
  editDocument,
  listDocumentChanges,
  listDocuments,
  makeImportDocument,
} from './knowledge/documents.ts';
import { makeFindSiteSources } from './knowledge/find-sources.ts';
import { makeProposeCases } from './knowledge/propose-cases.ts';
import { makeAttachedReaders } from './knowledge/read-attached.ts';
import { makeDescriptionReader } from './knowledge/read-description.ts';
import type { DocumentSettings } from './knowledge/start-documents.ts';
import type { WorkerMetrics } from './metrics.ts';
import { makeProviderSeal } from './model/host-providers.ts';
import type { ModelDirectory } from './model/model-directory.ts';
import type { ModelSettings, Models } from './model/models.ts';
import { conversationalStats, getAttendanceStats, getTeamStats } from './reports/conversational-stats.ts';
import { financialStats, makeGetSpend } from './reports/financial-stats.ts';
import { makeGetKnowledgeGaps } from './reports/get-knowledge-gaps.ts';
import { makeGetOutcomes } from './reports/get-outcomes.ts';
import { type KnowledgeFinder, makeKnowledgeFinder } from './retrieval/find-knowledge.ts';
import type { Handlers } from './runtime/job.ts';
import type { Pools } from './runtime/pools.ts';
import { makeQueueSearchEvents, makeReindex } from './search/indexer-orders.ts';
import {
  makeFulltextSearch,
  makeHybridSearch,
  makePhoneSearch,
  makeUnifiedSearch,
} from './search/searches.ts';
import { makeSearchHealth, makeSearchStats } from './search/stats.ts';
import { type Egress, egressRulesOf, openEgress } from './tools/egress.ts';
import { type McpSettings, makeMcp } from './tools/mcp/mcp.ts';
import { makeToolProvider } from './tools/outside-tools.ts';
import { makeRest } from './tools/rest/rest.ts';
import { makeWebhookSeal } from './tools/webhook-secrets.ts';
import { makeTurnClaims } from './turns/claim.ts';
import { makeTurnHandler } from './turns/handle.ts';
import type { RehearsalParts } from './turns/rehearse-case.ts';
import { makeChangeTrial } from './turns/try-change.ts';

export interface HandlerParts extends Models {
  readonly pools: Pools;
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Undefined: files lie in the database. */
  readonly objects: ObjectStore | undefined;
  readonly metrics: Pick<WorkerMetrics, 'onToolRun' | 'onAnswer' | 'onTurn' | 'onGap'>;
  readonly onTaskFailed: TaskFailureLog;
}

export function makeHandlers(
  { pools, databaseUrl, log, objects, metrics, onTaskFailed, ...models }: HandlerParts,
  settings: McpSettings &
    Pick<ModelSettings, 'openaiModel' | 'visionModels' | 'pricesCurrency'> &
    Pick<BackgroundSettings, 'insightConcurrency'> &
    Pick<DocumentSettings, 'parserProgram'>,
): { handlers: Handlers; close(): Promise<void> } {
  const { hosts: db, turns, trials } = pools;
  const { directory, model, embedder, transcriberOf } = models;
  const findKnowledge = makeKnowledgeFinder(turns, embedder, log);
  const closing = new AbortController();
  const { signal } = closing;
  const claims = makeTurnClaims(pools, findKnowledge, { databaseUrl, signal, onTaskFailed });
  const { onToolRun } = metrics;
  const egress = openEgress(egressRulesOf(settings));
  const readDescription = makeDescriptionReader(egress, settings.parserProgram);
  const outside = openOutsideTools(settings, { log, egress, readDescription, onToolRun });
  const places = { files: makeFileSeal(settings), objects };
  const turnParts = { db: turns, model, outsideTools: outside.tools, onToolRun, log };
  const later = makeBackgroundMapper(db, log);
  const seeing = { visionModels: settings.visionModels ?? [], defaultModel: settings.openaiModel };
  const handlers: Handlers = {
    reason: makeTurnHandler({
      ...turnParts,
      claims,
      directory,
      ...metrics,
      transcriberOf,
      ...makeAttachedReaders(egress.files(MAX_DOCUMENT_BYTES), settings.parserProgram),
      ...places,
      ...seeing,
    }),
    ...conversationHandlers,
    appendMessage: makeAppendMessage(places.files),
    getConversationInformation: makeGetConversationInformation(settings),
    ...makeConfigurationHandlers(pools, findKnowledge, directory, {
      ...turnParts,
      db: trials,
      findKnowledge: makeKnowledgeFinder(trials, embedder, log),
    }),
    importDocument: makeImportDocument({ directory, ...seeing }),
    findJob: makeFindJob(pools),
    ...outside.handlers,
    ...mappingHandlers,
    ...agentHandlers,
    ...makeRecordHandlers(pools, later, log),
    saveSource: makeSaveSource(settings),
    generateAgent: makeGenerateAgent({ db, model, log }),
    ...makeHostHandlers(pools, directory),
    ...makeModelHandlers(pools, directory, settings),
    ...makeEventHandlers(settings),
    ...makeSearchHandlers(pools, log),
    ...makeReportHandlers(pools, metrics, settings),
  };
  const close = async () => {
    closing.abort();
    await Promise.all([outside.close(), later.close(), egress.close()]);
  };
  return { handlers, close };
}

const agentHandlers = {
  listAgents,
  readAgent,
  saveAgent,
  saveAgents,
  deleteAgent,
  listApprovedAnswers,
  saveApprovedAnswer,
} satisfies Partial<Handlers>;

/** The names of REST tools come first: they do not depend on which server of MCP is there. */
function openOutsideTools(
  settings: McpSettings,
  {
    log,
    egress,
    readDescription,
    onToolRun,
  }: Pick<HandlerParts, 'log'> &
    Pick<WorkerMetrics, 'onToolRun'> & {
      readonly egress: Egress;
      readonly readDescription: DescriptionReader;
    },
) {
  const [mcp, rest] = [makeMcp(settings, log), makeRest(settings)];
  const handlers = {
    saveMcpConfig: makeSaveMcpConfig(mcp.seal, mcp.rules),
    listMcpConfigs,
    saveRestTool: makeSaveRestTool({ ...rest, readDescription }),
    listRestTools,
    saveSiteChat,
    listSiteChats,
    readOpenApi: makeReadOpenApi(readDescription),
    findSiteSources: makeFindSiteSources(egress.files(MAX_DOCUMENT_BYTES)),
    tryRestTool: makeTryRestTool({ tools: makeToolProvider([rest.list]), onToolRun }),
    listRestCalls,
  } satisfies Partial<Handlers>;
  const tools = makeToolProvider([rest.list, mcp.list]);
  return { tools, handlers, close: () => Promise.all([mcp.close(), rest.close()]) };
}

const mappingHandlers = { saveMapping, listMappings, tryMapping, listSources } satisfies Partial<Handlers>;

const conversationHandlers = {
  saveFeedback,
  createConversation,
  updateConversation,
  listConversations,
  listMessages,
  saveConsent,
  listConsents,
} satisfies Partial<Handlers>;

function makeHostHandlers({ hosts, owner }: Pools, directory: Models['directory']) {
  return {
    createHost: makeCreateHost(directory),
    saveHost: makeSaveHost(directory),
    saveContract,
    listContracts,
    issueToken,
    revokeToken,
    listTokens: makeListTokens(owner),
    listHosts: makeListHosts(hosts),
    listAudit,
    listPeople,
    listColleagues,
    savePerson,
    listTeams,
    saveTeam,
    readAttendance,
    saveAttendance,
    listSavedReplies,
    saveSavedReply,
    invitePerson,
    endSessions,
  } satisfies Partial<Handlers>;
}

function makeModelHandlers({ hosts }: Pools, directory: ModelDirectory, settings: McpSettings) {
  const seal = makeProviderSeal(settings);
  return {
    ...makeChatModelHandlers(hosts),
    readResponse: makeReadResponse(hosts),
    listModels: async ({ body, caller: { hostIds } }) => {
      const [first, ...others] = hostIds;
      const hostId = body.hostId ?? (others.length === 0 ? first : undefined);
      if (hostId !== undefined && !hostIds.includes(hostId)) return failure('host-forbidden');
      return { code: 200, data: await directory.list(hostId) };
    },
    saveHostProvider: makeSaveHostProvider({ seal, directory, ...egressRulesOf(settings) }),
    listHostProviders,
  } satisfies Partial<Handlers>;
}

function makeReportHandlers(
  { heavy }: Pools,
  { onGap }: Pick<WorkerMetrics, 'onGap'>,
  { pricesCurrency }: ModelSettings,
) {
  return {
    conversationalStats,
    financialStats,
    getSpend: makeGetSpend(pricesCurrency),
    getKnowledgeGaps: makeGetKnowledgeGaps(heavy, onGap),
    getOutcomes: makeGetOutcomes(heavy),
    getTeamStats,
    getAttendanceStats,
  } satisfies Partial<Handlers>;
}

function makeRecordHandlers(
  { hosts: db, heavy }: Pools,
  later: ReturnType<typeof makeBackgroundMapper>,
  log: Logger,
) {
  const parts = {
    db,
    storeArrival: makeArrivalBatcher(db),
    mapTogether: makeTogetherMapper(),
    mapInBackground: later.add,
    runMapping: later.run,
  };
  return {
    receiveTicket: makeReceiveRecords(parts, 'tickets'),
    receiveDeal: makeReceiveRecords(parts, 'deals'),
    receiveObject: makeReceiveRecords(parts, 'objects'),
    listIntakeRecords,
    replayRecords: makeReplayRecords(heavy, log),
    listTickets,
    listLeads,
  } satisfies Partial<Handlers>;
}

function makeEventHandlers(settings: McpSettings) {
  return {
    saveWebhook: makeSaveWebhook({ seal: makeWebhookSeal(settings), ...egressRulesOf(settings) }),
    listWebhooks,
    testWebhook,
    listDeliveries,
    replayDeliveries,
  };
}

function makeConfigurationHandlers(
  { heavy }: Pools,
  findKnowledge: KnowledgeFinder,
  directory: ModelDirectory,
  rehearsal: RehearsalParts,
) {
  const tryChange = makeChangeTrial(rehearsal);
  return {
    listAvatars,
    readAvatar,
    editAvatar: makeEditAvatar(directory, tryChange),
    createSubAvatar: makeCreateSubAvatar(directory),
    listDatasets,
    createDataset,
    editDataset,
    linkDatasetAvatar,
    unlinkDatasetAvatar,
    createChunk,
    editChunk: makeEditChunk(tryChange),
    readChunks: makeReadChunks(heavy, findKnowledge),
    readCitedPassage,
    listContradictions,
    resolveContradiction,
    listDocuments,
    editDocument,
    listDocumentChanges,
    deleteDocument,
    listFlows,
    listFlowTemplates,
    saveFlow: makeSaveFlow(directory, tryChange),
    listFlowVersions,
    restoreFlowVersion: makeRestoreFlowVersion(directory),
    saveEvaluationCases,
    listEvaluationCases,
    proposeCases: makeProposeCases(heavy),
  } satisfies Partial<Handlers>;
}

function makeSearchHandlers(pools: Pools, log: Logger) {
  const { heavy, hosts } = pools;
  return {
    searchFulltext: makeFulltextSearch(heavy),
    searchHybrid: makeHybridSearch(heavy),
    searchUnified: makeUnifiedSearch(heavy, log),
    searchPhone: makePhoneSearch(heavy),
    queueSearchEvents: makeQueueSearchEvents(hosts),
    searchEventsHealth: makeSearchHealth(pools),
    searchStats: makeSearchStats(pools),
    reindex: makeReindex(heavy),
    searchHealth: makeSearchHealth(pools),
  } satisfies Partial<Handlers>;
}
