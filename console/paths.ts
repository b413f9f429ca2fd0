import type { OperationName } from '../queues/contract/operations/index.ts';

const SVC = '/api/externalAPIs/public/svcReasoning';
const SEARCH = '/search-index';

/** Where the operations are that pages call. A test compares them with the contract. */
export const paths = {
  createChunk: `${SVC}/createChunkHelper`,
  editChunk: `${SVC}/editChunkHelper`,
  createDataset: `${SVC}/createDatasetsHelper`,
  editDataset: `${SVC}/editDatasetHelper`,
  linkDatasetAvatar: `${SVC}/linkDatasetAvatarHelper`,
  unlinkDatasetAvatar: `${SVC}/unlinkDatasetAvatarHelper`,
  importDocument: `${SVC}/importDocumentHelper`,
  listDocuments: `${SVC}/documentsListHelper`,
  deleteDocument: `${SVC}/deleteDocumentHelper`,
  appendMessage: `${SVC}/appendMessageHelper`,
  getConversationInformation: `${SVC}/getConversationInformation`,
  listAvatars: `${SVC}/avatarsListHelper`,
  listConversations: `${SVC}/conversationsListHelper`,
  listDatasets: `${SVC}/datasetsListHelper`,
  listLeads: `${SVC}/leadsListHelper`,
  listMessages: `${SVC}/messagesListHelper`,
  listTickets: `${SVC}/ticketsListHelper`,
  readChunks: `${SVC}/chunkReadHelper`,
  updateConversation: `${SVC}/updateConversationHelper`,
  listWebhooks: `${SVC}/listWebhooksHelper`,
  saveWebhook: `${SVC}/saveWebhookHelper`,
  testWebhook: `${SVC}/testWebhookHelper`,
  listDeliveries: `${SVC}/listDeliveriesHelper`,
  replayDeliveries: `${SVC}/replayDeliveriesHelper`,
  searchHealth: `${SEARCH}/admin/health`,
  searchStats: `${SEARCH}/admin/stats`,
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
