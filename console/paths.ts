import type { OperationName } from '../queues/contract/operations/index.ts';

const SVC = '/api/externalAPIs/public/svcReasoning';
const SEARCH = '/search-index';

/** Where the operations are that pages call. A test compares them with the contract. */
export const paths = {
  createChunk: `${SVC}/createChunkHelper`,
  appendMessage: `${SVC}/appendMessageHelper`,
  getConversationInformation: `${SVC}/getConversationInformation`,
  listAvatars: `${SVC}/avatarsListHelper`,
  listConversations: `${SVC}/conversationsListHelper`,
  listDatasets: `${SVC}/datasetsListHelper`,
  endSessions: `${SVC}/endSessionsHelper`,
  invitePerson: `${SVC}/invitePersonHelper`,
  listPeople: `${SVC}/peopleListHelper`,
  savePerson: `${SVC}/savePersonHelper`,
  listLeads: `${SVC}/leadsListHelper`,
  listMessages: `${SVC}/messagesListHelper`,
  listTickets: `${SVC}/ticketsListHelper`,
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
