import type { BodyOf as Body, DataOf as Data, ExtrasOf as Extras, Operation } from '../operation.ts';
import { readAgent } from './agent-runs.ts';
import { deleteAgent, generateAgent, listAgents, saveAgent, saveAgents } from './agents.ts';
import { listApprovedAnswers, saveApprovedAnswer } from './approved-answers.ts';
import { listAudit } from './audit.ts';
import { createSubAvatar, editAvatar, listAvatars, readAvatar } from './avatars.ts';
import { listChatModels, listModels, readChatModel } from './chat-models.ts';
import { createChunk, editChunk, readChunks, readCitedPassage } from './chunks.ts';
import { listConsents, saveConsent } from './consents.ts';
import { listContracts, saveContract } from './contracts.ts';
import { listContradictions, resolveContradiction } from './contradictions.ts';
import { listConversations, listMessages } from './conversation-lists.ts';
import {
  appendMessage,
  createConversation,
  getConversationInformation,
  updateConversation,
} from './conversations.ts';
import {
  createDataset,
  editDataset,
  linkDatasetAvatar,
  listDatasets,
  unlinkDatasetAvatar,
} from './datasets.ts';
import {
  deleteDocument,
  editDocument,
  findSiteSources,
  importDocument,
  listDocumentChanges,
  listDocuments,
} from './documents.ts';
import { listEvaluationCases, proposeCases, saveEvaluationCases } from './evaluation.ts';
import { saveFeedback } from './feedback.ts';
import { listFlows, listFlowTemplates, listFlowVersions, restoreFlowVersion, saveFlow } from './flows.ts';
import { createHost, listHostProviders, listHosts, saveHost, saveHostProvider } from './hosts.ts';
import { getKnowledgeGaps, getOutcomes } from './insight-reports.ts';
import { receiveDeal, receiveObject, receiveTicket } from './intake.ts';
import { listIntakeRecords, replayRecords } from './intake-records.ts';
import { findJob } from './jobs.ts';
import { listMappings, saveMapping, tryMapping } from './mappings.ts';
import { listMcpConfigs, saveMcpConfig } from './mcp-configs.ts';
import { readResponse } from './model-responses.ts';
import { endSessions, invitePerson, listColleagues, listPeople, savePerson } from './people.ts';
import { reason } from './reasoning.ts';
import { listLeads, listTickets } from './record-lists.ts';
import { conversationalStats, financialStats } from './reports.ts';
import { listRestCalls, tryRestTool } from './rest-calls.ts';
import { readOpenApi } from './rest-descriptions.ts';
import { listRestTools, saveRestTool } from './rest-tools.ts';
import { listSavedReplies, saveSavedReply } from './saved-replies.ts';
import { searchFulltext, searchHybrid, searchPhone, searchUnified } from './search.ts';
import { queueSearchEvents, reindex } from './search-admin.ts';
import { searchEventsHealth, searchHealth, searchStats } from './search-stats.ts';
import { listSiteChats, saveSiteChat } from './site-chats.ts';
import { listSources, saveSource } from './sources.ts';
import { getSpend } from './spend.ts';
import { getAttendanceStats, getTeamStats } from './team-stats.ts';
import { listTeams, readAttendance, saveAttendance, saveTeam } from './teams.ts';
import { issueToken, listTokens, revokeToken } from './tokens.ts';
import { listDeliveries, listWebhooks, replayDeliveries, saveWebhook, testWebhook } from './webhooks.ts';

const operations = {
  reason,
  createConversation,
  getConversationInformation,
  updateConversation,
  appendMessage,
  listConversations,
  listMessages,
  saveConsent,
  listConsents,
  listSavedReplies,
  saveSavedReply,
  listAvatars,
  readAvatar,
  editAvatar,
  createSubAvatar,
  listDatasets,
  createDataset,
  editDataset,
  linkDatasetAvatar,
  unlinkDatasetAvatar,
  createChunk,
  editChunk,
  readChunks,
  readCitedPassage,
  listContradictions,
  resolveContradiction,
  importDocument,
  listDocuments,
  editDocument,
  listDocumentChanges,
  deleteDocument,
  findSiteSources,
  listFlows,
  listFlowTemplates,
  saveFlow,
  listFlowVersions,
  restoreFlowVersion,
  saveEvaluationCases,
  listEvaluationCases,
  proposeCases,
  findJob,
  saveMcpConfig,
  listMcpConfigs,
  saveRestTool,
  listRestTools,
  readOpenApi,
  tryRestTool,
  listRestCalls,
  saveSiteChat,
  listSiteChats,
  listModels,
  saveHostProvider,
  listHostProviders,
  listChatModels,
  readChatModel,
  readResponse,
  receiveTicket,
  receiveDeal,
  receiveObject,
  listIntakeRecords,
  replayRecords,
  saveMapping,
  listMappings,
  tryMapping,
  saveSource,
  listSources,
  listTickets,
  listLeads,
  listAgents,
  readAgent,
  generateAgent,
  saveAgent,
  saveAgents,
  deleteAgent,
  createHost,
  saveHost,
  listHosts,
  saveContract,
  listContracts,
  issueToken,
  revokeToken,
  listTokens,
  listAudit,
  listPeople,
  listColleagues,
  savePerson,
  invitePerson,
  endSessions,
  saveFeedback,
  listApprovedAnswers,
  saveApprovedAnswer,
  listTeams,
  saveTeam,
  readAttendance,
  saveAttendance,
  saveWebhook,
  listWebhooks,
  testWebhook,
  listDeliveries,
  replayDeliveries,
  searchFulltext,
  searchHybrid,
  searchUnified,
  searchPhone,
  queueSearchEvents,
  searchEventsHealth,
  searchStats,
  reindex,
  searchHealth,
  conversationalStats,
  financialStats,
  getSpend,
  getKnowledgeGaps,
  getOutcomes,
  getTeamStats,
  getAttendanceStats,
} as const;

export type OperationName = keyof typeof operations;
export type BodyOf<N extends OperationName> = Body<(typeof operations)[N]>;
export type DataOf<N extends OperationName> = Data<(typeof operations)[N]>;
export type ExtrasOf<N extends OperationName> = Extras<(typeof operations)[N]>;

export const operationNames = Object.keys(operations) as OperationName[];

export function operationOf(name: OperationName): Operation {
  return operations[name];
}
