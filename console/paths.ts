import type { OperationName } from '../queues/contract/operations/index.ts';

const SVC = '/api/externalAPIs/public/svcReasoning';
const SEARCH = '/search-index';

/** Operations whose path is made of their name. */
// biome-ignore format: a list
const helpers = [
  'createChunk', 'editChunk', 'resolveContradiction', 'editDataset', 'linkDatasetAvatar', 'unlinkDatasetAvatar',
  'importDocument', 'editDocument', 'deleteDocument', 'createSubAvatar', 'readAvatar', 'editAvatar', 'saveRestTool',
  'saveSiteChat', 'readOpenApi', 'tryRestTool', 'readAgent', 'saveAgent', 'deleteAgent', 'restoreFlowVersion',
  'saveEvaluationCases', 'proposeCases', 'saveConsent', 'appendMessage', 'saveFeedback', 'saveApprovedAnswer',
  'endSessions', 'invitePerson', 'saveTeam', 'readAttendance', 'saveAttendance', 'getAttendanceStats',
  'saveSavedReply', 'savePerson', 'updateConversation', 'listWebhooks', 'saveWebhook', 'testWebhook', 'saveHost',
  'createHost', 'issueToken', 'revokeToken', 'saveContract', 'saveMapping', 'tryMapping', 'listDeliveries',
  'replayDeliveries', 'getTeamStats', 'getSpend',
] as const;

/** Paths of the operations that pages call. A test compares them with the contract. */
export const paths = {
  ...(Object.fromEntries(helpers.map(name => [name, `${SVC}/${name}Helper`])) as Record<
    (typeof helpers)[number],
    string
  >),
  listContradictions: `${SVC}/contradictionsListHelper`,
  createDataset: `${SVC}/createDatasetsHelper`,
  listDocuments: `${SVC}/documentsListHelper`,
  findSiteSources: `${SVC}/siteSourcesHelper`,
  listDocumentChanges: `${SVC}/documentHistoryListHelper`,
  listMcpConfigs: `${SVC}/listMCPConfigsHelper`,
  saveMcpConfig: `${SVC}/saveMCPConfigHelper`,
  listRestTools: `${SVC}/restToolsListHelper`,
  listSiteChats: `${SVC}/siteChatsListHelper`,
  listRestCalls: `${SVC}/restCallsListHelper`,
  listModels: `${SVC}/modelListHelper`,
  listAgents: `${SVC}/agentsListHelper`,
  listFlows: `${SVC}/decisionChainsListHelper`,
  saveFlow: `${SVC}/saveDecisionChainHelper`,
  listFlowVersions: `${SVC}/flowVersionsListHelper`,
  listEvaluationCases: `${SVC}/evaluationCasesListHelper`,
  listConsents: `${SVC}/consentsListHelper`,
  getConversationInformation: `${SVC}/getConversationInformation`,
  listApprovedAnswers: `${SVC}/approvedAnswersListHelper`,
  listAvatars: `${SVC}/avatarsListHelper`,
  listConversations: `${SVC}/conversationsListHelper`,
  listDatasets: `${SVC}/datasetsListHelper`,
  listColleagues: `${SVC}/colleaguesListHelper`,
  listTeams: `${SVC}/teamsListHelper`,
  listSavedReplies: `${SVC}/savedRepliesListHelper`,
  listPeople: `${SVC}/peopleListHelper`,
  listLeads: `${SVC}/leadsListHelper`,
  listMessages: `${SVC}/messagesListHelper`,
  listTickets: `${SVC}/ticketsListHelper`,
  readChunks: `${SVC}/chunkReadHelper`,
  readCitedPassage: `${SVC}/citedPassageReadHelper`,
  listHosts: `${SVC}/hostsListHelper`,
  listTokens: `${SVC}/tokensListHelper`,
  listContracts: `${SVC}/contractsListHelper`,
  listMappings: `${SVC}/mappingsListHelper`,
  listAudit: `${SVC}/auditListHelper`,
  listIntakeRecords: `${SVC}/intakeRecordsListHelper`,
  replayRecords: `${SVC}/intakeReplayHelper`,
  searchHealth: `${SEARCH}/admin/health`,
  searchStats: `${SEARCH}/admin/stats`,
  searchFulltext: `${SEARCH}/search/fts`,
  searchHybrid: `${SEARCH}/search/hybrid`,
  searchPhone: `${SEARCH}/search/phone`,
  conversationalStats: `${SVC}/getConversationalStats`,
  financialStats: `${SVC}/getFinancialStats`,
  getKnowledgeGaps: `${SVC}/getKnowledgeGaps`,
  getOutcomes: `${SVC}/getOutcomes`,
} as const satisfies Partial<Record<OperationName, string>>;

export type PathName = keyof typeof paths;
