import { hostsAndTokens } from './0001-hosts-and-tokens.ts';
import { avatarsAndKnowledge } from './0002-avatars-and-knowledge.ts';
import { knowledgeSearch } from './0003-knowledge-search.ts';
import { conversationsAndTurns } from './0004-conversations-and-turns.ts';
import { replies } from './0005-replies.ts';
import { agents } from './0006-agents.ts';
import { flows } from './0007-flows.ts';
import { chunkFilter } from './0008-chunk-filter.ts';
import { portugueseFolding } from './0009-portuguese-folding.ts';
import { conversationState } from './0010-conversation-state.ts';
import { crmRecords } from './0011-crm-records.ts';
import { mcpConfigs } from './0012-mcp-configs.ts';
import { searchIndex } from './0013-search-index.ts';
import { searchPipeline } from './0014-search-pipeline.ts';
import { processMetrics } from './0015-process-metrics.ts';
import { cachedReplies } from './0016-cached-replies.ts';
import { rankedKnowledge } from './0017-ranked-knowledge.ts';
import { searchCandidates } from './0018-search-candidates.ts';
import { searchLooks } from './0018-search-looks.ts';
import { searchFunctions } from './0019-search-functions.ts';
import { searchScores } from './0019-search-scores.ts';
import { reports } from './0020-reports.ts';
import { insights } from './0021-insights.ts';
import { retention } from './0022-retention.ts';
import { repliesOfSeveralHosts } from './0023-replies-of-several-hosts.ts';
import { searchWordsOfHosts } from './0024-search-words-of-hosts.ts';
import { conversationsToEmpty } from './0025-conversations-to-empty.ts';
import { answeredInTime } from './0030-answered-in-time.ts';
import { rememberedUserData } from './0031-remembered-user-data.ts';
import { rehearsals } from './0032-rehearsals.ts';
import { functionFiles } from './0033-function-files.ts';
import { writeProbe } from './0034-write-probe.ts';
import { recordsOfLeads } from './0035-records-of-leads.ts';
import { plainFunctionNames } from './0036-plain-function-names.ts';
import { searchOutboxIndexes } from './0037-search-outbox-indexes.ts';
import { hostShares } from './0038-host-shares.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** In the order in which they run. Append only: databases store the names of applied migrations. */
export const migrations: readonly Migration[] = [
  { name: '0001-hosts-and-tokens', sql: hostsAndTokens },
  { name: '0002-avatars-and-knowledge', sql: avatarsAndKnowledge },
  { name: '0003-knowledge-search', sql: knowledgeSearch },
  { name: '0004-conversations-and-turns', sql: conversationsAndTurns },
  { name: '0005-replies', sql: replies },
  { name: '0006-agents', sql: agents },
  { name: '0007-flows', sql: flows },
  { name: '0008-chunk-filter', sql: chunkFilter },
  { name: '0009-portuguese-folding', sql: portugueseFolding },
  { name: '0010-conversation-state', sql: conversationState },
  { name: '0011-crm-records', sql: crmRecords },
  { name: '0012-mcp-configs', sql: mcpConfigs },
  { name: '0013-search-index', sql: searchIndex },
  { name: '0014-search-pipeline', sql: searchPipeline },
  { name: '0015-process-metrics', sql: processMetrics },
  { name: '0016-cached-replies', sql: cachedReplies },
  { name: '0017-ranked-knowledge', sql: rankedKnowledge },
  { name: '0018-search-candidates', sql: searchCandidates },
  { name: '0018-search-looks', sql: searchLooks },
  { name: '0019-search-functions', sql: searchFunctions },
  { name: '0019-search-scores', sql: searchScores },
  { name: '0020-reports', sql: reports },
  { name: '0021-insights', sql: insights },
  { name: '0022-retention', sql: retention },
  { name: '0023-replies-of-several-hosts', sql: repliesOfSeveralHosts },
  { name: '0024-search-words-of-hosts', sql: searchWordsOfHosts },
  { name: '0025-conversations-to-empty', sql: conversationsToEmpty },
  { name: '0030-answered-in-time', sql: answeredInTime },
  { name: '0031-remembered-user-data', sql: rememberedUserData },
  { name: '0032-rehearsals', sql: rehearsals },
  { name: '0033-function-files', sql: functionFiles },
  { name: '0034-write-probe', sql: writeProbe },
  { name: '0035-records-of-leads', sql: recordsOfLeads },
  { name: '0036-plain-function-names', sql: plainFunctionNames },
  { name: '0037-search-outbox-indexes', sql: searchOutboxIndexes },
  { name: '0038-host-shares', sql: hostShares },
];
