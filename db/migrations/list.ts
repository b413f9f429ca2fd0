import { hosts } from './0001-hosts.ts';
import { portugueseText } from './0002-portuguese-text.ts';
import { assistants } from './0003-assistants.ts';
import { knowledge } from './0004-knowledge.ts';
import { contactsAndLeads } from './0005-contacts-and-leads.ts';
import { conversations } from './0006-conversations.ts';
import { ticketsAndIntake } from './0007-tickets-and-intake.ts';
import { searchIndex } from './0008-search-index.ts';
import { searchPipeline } from './0009-search-pipeline.ts';
import { reports } from './0010-reports.ts';
import { repliesAndProcesses } from './0011-replies-and-processes.ts';
import { hostShares } from './0038-host-shares.ts';
import { dropLeftovers } from './0039-drop-leftovers.ts';
import { modelFallbacks } from './0040-model-fallbacks.ts';
import { bursts } from './0041-bursts.ts';
import { masking } from './0042-masking.ts';
import { audit } from './0043-audit.ts';
import { budgets } from './0044-budgets.ts';
import { events } from './0045-events.ts';
import { crmSources } from './0046-crm-sources.ts';
import { conversationLists } from './0047-conversation-lists.ts';
import { recordLists } from './0048-record-lists.ts';
import { checkedAnswers } from './0049-checked-answers.ts';
import { documents } from './0050-documents.ts';
import { gapsAndOutcomes } from './0051-gaps-and-outcomes.ts';
import { evaluationCases } from './0052-evaluation-cases.ts';
import { signInLinks } from './0053-sign-in-links.ts';
import { auditedActions } from './0054-audited-actions.ts';
import { disabledHosts } from './0055-disabled-hosts.ts';
import { dropTrialAvatars } from './0056-drop-trial-avatars.ts';
import { tokenKindsAndLanguages } from './0058-token-kinds-and-languages.ts';
import { attachments } from './0060-attachments.ts';
import { people } from './0061-people.ts';
import { sentMessages } from './0063-sent-messages.ts';
import { notes } from './0064-notes.ts';
import { spokenQuestions } from './0065-spoken-questions.ts';
import { filteredLists } from './0066-filtered-lists.ts';
import { conversationsToEmpty } from './0067-conversations-to-empty.ts';
import { incompleteImports } from './0069-incomplete-imports.ts';
import { passagePositions } from './0070-passage-positions.ts';
import { countedSpend } from './0071-counted-spend.ts';
import { replayedDeliveries } from './0072-replayed-deliveries.ts';
import { oldRehearsals } from './0073-old-rehearsals.ts';
import { chatHistories } from './0076-chat-histories.ts';
import { struckTexts } from './0078-struck-texts.ts';
import { filters } from './0080-filters.ts';
import { deletedAvatars } from './0084-deleted-avatars.ts';
import { failureTexts } from './0086-failure-texts.ts';
import { failedTurns } from './0087-failed-turns.ts';
import { idleConversations } from './0088-idle-conversations.ts';
import { hostProviders } from './0091-host-providers.ts';
import { spendOfHosts } from './0092-spend-of-hosts.ts';
import { insightModels } from './0093-insight-models.ts';
import { transcriptionModels } from './0097-transcription-models.ts';
import { savedReplies } from './0101-saved-replies.ts';
import { staffMessages } from './0104-staff-messages.ts';
import { begunRecords } from './0105-begun-records.ts';
import { gonePages } from './0108-gone-pages.ts';
import { attendants } from './0110-attendants.ts';
import { firstAnswers } from './0111-first-answers.ts';
import { conversationHistories } from './0115-conversation-histories.ts';
import { insightPauses } from './0120-insight-pauses.ts';
import { noteAuthors } from './0124-note-authors.ts';
import { wordSounds } from './0126-word-sounds.ts';
import { contactsByCpf } from './0129-contacts-by-cpf.ts';
import { rewrittenQuestions } from './0133-rewritten-questions.ts';
import { restTools } from './0137-rest-tools.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** The schema of the migrations that it replaced; `../migrate.ts` takes over databases that those built. */
export const baseline: readonly Migration[] = [
  { name: '0001-hosts', sql: hosts },
  { name: '0002-portuguese-text', sql: portugueseText },
  { name: '0003-assistants', sql: assistants },
  { name: '0004-knowledge', sql: knowledge },
  { name: '0005-contacts-and-leads', sql: contactsAndLeads },
  { name: '0006-conversations', sql: conversations },
  { name: '0007-tickets-and-intake', sql: ticketsAndIntake },
  { name: '0008-search-index', sql: searchIndex },
  { name: '0009-search-pipeline', sql: searchPipeline },
  { name: '0010-reports', sql: reports },
  { name: '0011-replies-and-processes', sql: repliesAndProcesses },
];

/** In the order in which they run. Append only, from 0038 on: databases store the names of applied migrations. */
export const migrations: readonly Migration[] = [
  ...baseline,
  { name: '0038-host-shares', sql: hostShares },
  { name: '0039-drop-leftovers', sql: dropLeftovers },
  { name: '0040-model-fallbacks', sql: modelFallbacks },
  { name: '0041-bursts', sql: bursts },
  { name: '0042-masking', sql: masking },
  { name: '0043-audit', sql: audit },
  { name: '0044-budgets', sql: budgets },
  { name: '0045-events', sql: events },
  { name: '0046-crm-sources', sql: crmSources },
  { name: '0047-conversation-lists', sql: conversationLists },
  { name: '0048-record-lists', sql: recordLists },
  { name: '0049-checked-answers', sql: checkedAnswers },
  { name: '0050-documents', sql: documents },
  { name: '0051-gaps-and-outcomes', sql: gapsAndOutcomes },
  { name: '0052-evaluation-cases', sql: evaluationCases },
  { name: '0053-sign-in-links', sql: signInLinks },
  { name: '0054-audited-actions', sql: auditedActions },
  { name: '0055-disabled-hosts', sql: disabledHosts },
  { name: '0056-drop-trial-avatars', sql: dropTrialAvatars },
  { name: '0058-token-kinds-and-languages', sql: tokenKindsAndLanguages },
  { name: '0060-attachments', sql: attachments },
  { name: '0061-people', sql: people },
  { name: '0063-sent-messages', sql: sentMessages },
  { name: '0064-notes', sql: notes },
  { name: '0065-spoken-questions', sql: spokenQuestions },
  { name: '0066-filtered-lists', sql: filteredLists },
  { name: '0067-conversations-to-empty', sql: conversationsToEmpty },
  { name: '0069-incomplete-imports', sql: incompleteImports },
  { name: '0070-passage-positions', sql: passagePositions },
  { name: '0071-counted-spend', sql: countedSpend },
  { name: '0072-replayed-deliveries', sql: replayedDeliveries },
  { name: '0073-old-rehearsals', sql: oldRehearsals },
  { name: '0076-chat-histories', sql: chatHistories },
  { name: '0078-struck-texts', sql: struckTexts },
  { name: '0080-filters', sql: filters },
  { name: '0084-deleted-avatars', sql: deletedAvatars },
  { name: '0086-failure-texts', sql: failureTexts },
  { name: '0087-failed-turns', sql: failedTurns },
  { name: '0088-idle-conversations', sql: idleConversations },
  { name: '0091-host-providers', sql: hostProviders },
  { name: '0092-spend-of-hosts', sql: spendOfHosts },
  { name: '0093-insight-models', sql: insightModels },
  { name: '0097-transcription-models', sql: transcriptionModels },
  { name: '0101-saved-replies', sql: savedReplies },
  { name: '0104-staff-messages', sql: staffMessages },
  { name: '0105-begun-records', sql: begunRecords },
  { name: '0108-gone-pages', sql: gonePages },
  { name: '0110-attendants', sql: attendants },
  { name: '0111-first-answers', sql: firstAnswers },
  { name: '0115-conversation-histories', sql: conversationHistories },
  { name: '0120-insight-pauses', sql: insightPauses },
  { name: '0124-note-authors', sql: noteAuthors },
  { name: '0126-word-sounds', sql: wordSounds },
  { name: '0129-contacts-by-cpf', sql: contactsByCpf },
  { name: '0133-rewritten-questions', sql: rewrittenQuestions },
  { name: '0137-rest-tools', sql: restTools },
];
