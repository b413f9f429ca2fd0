import type { OperationName } from '../queues/contract/operations/index.ts';

const SVC = '/api/externalAPIs/public/svcReasoning';
const SEARCH = '/search-index';

/** Where the operations are that pages call. A test compares them with the contract. */
export const paths = {
  createChunk: `${SVC}/createChunkHelper`,
  createSubAvatar: `${SVC}/createSubAvatarHelper`,
  readAvatar: `${SVC}/readAvatarHelper`,
  editAvatar: `${SVC}/editAvatarHelper`,
  listModels: `${SVC}/modelListHelper`,
  listAgents: `${SVC}/agentsListHelper`,
  listFlows: `${SVC}/decisionChainsListHelper`,
  saveFlow: `${SVC}/saveDecisionChainHelper`,
  listFlowVersions: `${SVC}/flowVersionsListHelper`,
  restoreFlowVersion: `${SVC}/restoreFlowVersionHelper`,
  listEvaluationCases: `${SVC}/evaluationCasesListHelper`,
  saveEvaluationCases: `${SVC}/saveEvaluationCasesHelper`,
  appendMessage: `${SVC}/appendMessageHelper`,
  getConversationInformation: `${SVC}/getConversationInformation`,
  listAvatars: `${SVC}/avatarsListHelper`,
  listConversations: `${SVC}/conversationsListHelper`,
  listDatasets: `${SVC}/datasetsListHelper`,
  listLeads: `${SVC}/leadsListHelper`,
  listMessages: `${SVC}/messagesListHelper`,
  listTickets: `${SVC}/ticketsListHelper`,
  linkDatasetAvatar: `${SVC}/linkDatasetAvatarHelper`,
  unlinkDatasetAvatar: `${SVC}/unlinkDatasetAvatarHelper`,
  readChunks: `${SVC}/chunkReadHelper`,
  updateConversation: `${SVC}/updateConversationHelper`,
  searchFulltext: `${SEARCH}/search/fts`,
  searchHybrid: `${SEARCH}/search/hybrid`,
  searchPhone: `${SEARCH}/search/phone`,
  conversationalStats: `${SVC}/getConversationalStats`,
  financialStats: `${SVC}/getFinancialStats`,
  getKnowledgeGaps: `${SVC}/getKnowledgeGaps`,
  getOutcomes: `${SVC}/getOutcomes`,
  getSpend: `${SVC}/getSpendHelper`,
} as const satisfies Partial<Record<OperationName, string>>;

export type PathName = keyof typeof paths;
