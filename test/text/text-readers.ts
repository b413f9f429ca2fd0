import { searchChangeOf } from '../../db/search/channel.ts';
import { fieldError } from '../../platform/field-error.ts';
import { storableValue } from '../../platform/storable-text.ts';
import { askedKindOf } from '../../text/asked-kind.ts';
import { cpfOf, firstEmailOf, plainEmailOf } from '../../text/contact.ts';
import { foldWithPlaces } from '../../text/fold-in-place.ts';
import { toPortuguese } from '../../text/foreign-words.ts';
import { judgeAnswer } from '../../text/judge-answer.ts';
import { quoteLine } from '../../text/lines.ts';
import { e164Of, listPhoneVariants, readPhone } from '../../text/phone.ts';
import { addressesIn, countedNounOf, hasQueryWords, queryWordsOf } from '../../text/query-words.ts';
import { saysNotFound } from '../../text/says-not-found.ts';
import { splitIntoSentences, wholeSentencesOf } from '../../text/sentences.ts';
import { digitsFromWords } from '../../text/spelled-digits.ts';
import { nearestOf, readAddresses, stemOf } from '../../text/words.ts';
import { checkAnswer } from '../../workers/domain/alignment/check-answer.ts';
import { isOfOtherDay, wrongWeekdaysIn } from '../../workers/domain/alignment/clock-figures.ts';
import { makeSentenceGate } from '../../workers/domain/alignment/withhold-sentences.ts';
import { askedKeyOf, matchApproved } from '../../workers/domain/approved/match-approved.ts';
import { type MappedRecord, mapRecord, targetOf } from '../../workers/domain/crm/field-mapping.ts';
import { parseMapping } from '../../workers/domain/crm/mapping-file.ts';
import { mergeRecord, warnOfNobody } from '../../workers/domain/crm/merge-record.ts';
import { parseValue } from '../../workers/domain/crm/parse-value.ts';
import { mayListRecords } from '../../workers/domain/crm/record-fields.ts';
import { cutPassages } from '../../workers/domain/documents/cut-passages.ts';
import {
  isAddressAllowed,
  portOf,
  urlErrorOf,
  webhookUrlErrorOf,
} from '../../workers/domain/egress-address.ts';
import { findTeam, flowPlanOf, stepIdentitiesOf } from '../../workers/domain/flow-steps.ts';
import { groupQuestions } from '../../workers/domain/gaps/group-questions.ts';
import { chooseSuggestion, isQuestion, questionWordsOf } from '../../workers/domain/gaps/question-words.ts';
import { composeInsight } from '../../workers/domain/insight/compose-insight.ts';
import { heatFeaturesOf } from '../../workers/domain/insight/heat-features.ts';
import { parseInsight } from '../../workers/domain/insight/insight-answer.ts';
import { sentimentOf } from '../../workers/domain/insight/sentiment.ts';
import { nameIn, summarizeByRules } from '../../workers/domain/insight/summarize-by-rules.ts';
import { jsonWeightOf } from '../../workers/domain/json-weight.ts';
import { maskJson, unmaskJson } from '../../workers/domain/masking/mask-value.ts';
import {
  makeMasking,
  makePieceUnmasker,
  maskAlone,
  withKnownAddresses,
} from '../../workers/domain/masking/masking.ts';
import { mcpTargetOf } from '../../workers/domain/mcp-config.ts';
import { filterOf, filterTermsOf, headOf } from '../../workers/domain/passage-filter.ts';
import { agentFormPromptOf, repairRequestOf } from '../../workers/domain/prompts/agent-form-prompt.ts';
import { formatAsk, formatKnownCalls } from '../../workers/domain/prompts/confirmation-texts.ts';
import { insightPromptOf } from '../../workers/domain/prompts/insight-prompt.ts';
import { formatMcpResult } from '../../workers/domain/prompts/mcp-result.ts';
import { makeToolDescription, toolNameOf } from '../../workers/domain/prompts/offered-tool.ts';
import { parsePeopleWords, peopleWordsPromptOf } from '../../workers/domain/prompts/people-words-prompt.ts';
import {
  addOpenQuestions,
  openQuestionOf,
  type PromptParts,
  promptOf,
  recentOf,
} from '../../workers/domain/prompts/prompt.ts';
import { mentionsIn, promptFactsOf } from '../../workers/domain/prompts/prompt-facts.ts';
import { rewritePromptOf } from '../../workers/domain/prompts/rewrite-prompt.ts';
import {
  describeAgent,
  describeEnding,
  describeTeams,
  formatCalls,
  formatInvalidArguments,
  formatRejectedArguments,
  formatServerFailure,
  formatTrigger,
} from '../../workers/domain/prompts/tool-texts.ts';
import { queryIndexOf } from '../../workers/domain/retrieval/query-index.ts';
import { coverageOf, rankPassages } from '../../workers/domain/retrieval/rank-passages.ts';
import {
  joinQuery,
  nameListedItem,
  retrievalQueryOf,
} from '../../workers/domain/retrieval/retrieval-query.ts';
import {
  findsLittle,
  mergeRewritten,
  rewrittenOf,
} from '../../workers/domain/retrieval/rewritten-question.ts';
import {
  fullMatchOf,
  meantStemsOf,
  searchPlanOf,
  termsOf,
} from '../../workers/domain/retrieval/search-plan.ts';
import { parseForm } from '../../workers/domain/schemas/form-answer.ts';
import { frontSchemaOf } from '../../workers/domain/schemas/front-schema.ts';
import {
  knownArgumentsOf,
  toolArgumentsOf,
  truncateForModel,
  userDataFor,
} from '../../workers/domain/schemas/known-arguments.ts';
import { offeredSchemaOf } from '../../workers/domain/schemas/offered-schema.ts';
import { schemaErrorsOf } from '../../workers/domain/schemas/schema-errors.ts';
import { cpfAndPhoneIn } from '../../workers/domain/search/cpf-and-phone.ts';
import { highlightOf, likelyWordsIn, wordsIn } from '../../workers/domain/search/search-highlight.ts';
import { dayAfter, instantOf, instantOfWritten } from '../../workers/domain/time/instant.ts';
import { retryAfterMsOf } from '../../workers/domain/time/retry-after.ts';
import { limitUserData, mergeUserData } from '../../workers/domain/user-data.ts';
import { openApiReaders } from '../domain/rest-tools/openapi-readers.ts';
import { runToEnd } from '../support/run-to-end.ts';
import { answerReaders } from './answer-readers.ts';
import { askReaders } from './ask-readers.ts';
import { DOCUMENT_READERS } from './document-readers.ts';
import { readRestTool } from './rest-readers.ts';

const now = Date.UTC(2026, 2, 2);
const said = (content: string) => [
  { author: 'user' as const, content, at: now },
  { author: 'assistant' as const, content, at: now },
];
const prompt: PromptParts = { persona: '', passages: [], dialogue: [], question: '' };
const mapping = { target: 'leads', fields: {}, required: [], solvedStages: [], campus: true } as const;
const nestedMapping = { ...mapping, records: ['b'], fields: { 'a.x': { to: 'inter' } } };
const terms = ['secretaria', 'aaa', 'a.b'].map(word => ({ word, weight: 1, rarity: 1 }));
const step = { type: 'message', description: '' };

/** A record with as many fields as the text has characters, whose names all become the same. */
function crowdOf(text: string): MappedRecord {
  const inter = Array.from(text, value => ({ field: '\ufffd', value }));
  return {
    values: {},
    campus: {},
    inter,
    warnings: [],
    sentColumns: new Set(),
    sentFields: new Set(['\ufffd']),
  };
}

const at = { now: new Date(now), timeZone: 'America/Sao_Paulo' };
const CLOCK = [{ daysAhead: 0, weekday: 1, text: '' }];
const nothing = {
  userName: '',
  dialogueSummary: '',
  mainTopic: '',
  tip: '',
  sentimentScore: 0,
  sentimentScoreExplanation: '',
  categories: [],
  heatAdjustment: 0,
  by: 'none' as const,
};
const schemaOf = (text: string) => ({
  type: 'object',
  properties: { [text]: { const: text, $ref: text, pattern: text } },
  required: [text],
});
/** Every domain function that reads untrusted text. */
export const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  ...DOCUMENT_READERS,
  addressesIn,
  readAddresses,
  queryWordsOf: text => queryWordsOf(text, [text, text]),
  askedKindOf,
  countedNounOf,
  // Passages that were read are remembered: the random end makes each one new.
  checkAnswer: text =>
    runToEnd(
      checkAnswer(text, {
        question: '',
        passages: [`${text}${Math.random()}`, 'Custa R$ 10, e a taxa R$ 7.'],
        hostTexts: [],
        others: [],
      }),
    ),
  isOfOtherDay: text => {
    const end = text.length;
    return isOfOtherDay(
      `${text} ${text}`,
      { kind: 'date', start: end, end, meanings: [], isClaim: true },
      [],
      CLOCK,
    );
  },
  wrongWeekdaysIn: text => wrongWeekdaysIn(`${text} hoje ${text}`, CLOCK),
  agentFormPromptOf: text =>
    agentFormPromptOf({ title: text, description: text, fields: { a: { type: 'string' } } }, text),
  addOpenQuestions: text => {
    const open = openQuestionOf(text, at.now);
    return addOpenQuestions([open, { ...open, content: `${text}.` }], [open]);
  },
  chooseSuggestion: text => chooseSuggestion([{ content: text, words: questionWordsOf(text) }]),
  composeInsight: text =>
    composeInsight({
      asOf: now,
      messages: said(text),
      earlier: { ...nothing, dialogueSummary: text },
      answer: undefined,
    }),
  cutPassages: text =>
    runToEnd(
      cutPassages(
        {
          blocks: [
            { kind: 'heading', level: 1, text },
            { kind: 'text', text },
            { kind: 'table', header: [text, text], rows: [[text], [text, text]] },
            { kind: 'entry', text },
          ],
        },
        { name: text, limit: 8_000, most: 10_000 },
      ),
    ),
  formatAsk: text => [
    formatAsk(text),
    formatKnownCalls({ waiting: [{ tool: text, arguments: text }], called: [], answered: [] }),
  ],
  describeAgent: text => [
    describeAgent(text, [text]),
    formatTrigger(text, text),
    formatCalls([text], [text]),
    describeEnding('end', text),
    describeTeams([{ name: text, description: text }]),
  ],
  cpfOf,
  toPortuguese,
  digitsFromWords,
  e164Of,
  errorTexts: text => [
    formatInvalidArguments(text, text),
    formatServerFailure(text),
    formatRejectedArguments(text, true),
    repairRequestOf(text, [fieldError(text, 'schema', text)]),
  ],
  filterTermsOf: text => filterTermsOf({ a: text, b: [text] }, { [text]: text }),
  schemaErrorsOf: text => [schemaErrorsOf(schemaOf(text)), offeredSchemaOf(schemaOf(text))],
  ...answerReaders,
  ...askReaders,
  flowPlanOf: text => flowPlanOf([{ ...step, content: text }], { isDone: () => false, hasRun: () => false }),
  filterOf: text => filterOf({ [text]: text, a: [text] }),
  headOf,
  headOfFilter: text => headOf(`---\n${text}\n---\na`),
  frontSchemaOf: text =>
    frontSchemaOf({
      agentName: text,
      frontName: text,
      description: text,
      schemaName: text,
      arguments: {},
      frontSchema: { title: text },
    }),
  groupQuestions: text =>
    runToEnd(groupQuestions([{ id: 'a', words: questionWordsOf(text) }], [questionWordsOf(text)], () => 'b')),
  isQuestion,
  jsonWeightOf: text => jsonWeightOf({ [text]: [text] }, { values: 10, characters: 1_000_000, depth: 5 }),
  judgeAnswer: text =>
    judgeAnswer(
      { contains: text, notContains: [`${text}.`] },
      { text, sources: [], unsupported: 0, askHumanHelp: false, agents: [], items: [] },
    ),
  limitUserData: text => limitUserData(mergeUserData({ [text]: text }, { name: text })),
  mapRecord: text => mapRecord({ [text]: text, nome: text, a: { [text]: [text] } }, nestedMapping, at),
  mayListRecords: text => mayListRecords({ [text]: { list: Array.from(text) } }),
  mcpTargetOf: text =>
    mcpTargetOf(
      'streamable',
      { url: text, headers: { [text]: text } },
      { allowPrivate: false, stdioAllow: [] },
    ),
  nearestOf: text => nearestOf(text, [`${text}a`, text]),
  toolNameOf: text => toolNameOf(text, () => false),
  summarizeByRules: text => summarizeByRules(said(text), false),
  heatFeaturesOf: text => heatFeaturesOf(said(text), now),
  gateOfSentences: text => {
    const gate = makeSentenceGate(() => true, '');
    return Array.from(text, piece => gate.add(piece)).join('') + gate.end();
  },
  highlightOf: text => highlightOf(text, word => word === 'secretaria'),
  insightPromptOf: text =>
    insightPromptOf({ earlierSummary: text, earlierTopic: text, messages: said(text) }),
  dayAfter,
  instantOf: text => instantOf(text, 'America/Sao_Paulo'),
  instantOfWritten: text => instantOfWritten(text, 'America/Sao_Paulo'),
  knownArgumentsOf: text =>
    knownArgumentsOf({ required: [text] }, { globalData: { [text]: text }, userData: { [text]: text } }),
  foldText: text => foldWithPlaces(text).text,
  maskAlone,
  maskJson: text => maskJson(JSON.stringify({ [text]: text }), makeMasking()),
  unmask: text => {
    const masking = makeMasking();
    masking.mask('529.982.247-25');
    return masking.unmask(text);
  },
  unmaskAddresses: text => {
    const masking = makeMasking();
    masking.mask('529.982.247-25');
    return withKnownAddresses(masking, [text]).unmask(`https://a.example/${text}[CPF_1]`.repeat(2));
  },
  unmaskJson: text => unmaskJson(JSON.stringify({ a: text }), makeMasking()),
  unmaskPieces: text => {
    const unmask = makePieceUnmasker(
      makeMasking([{ kind: 'CPF', key: '52998224725', text: '529.982.247-25' }]),
    );
    for (let at = 0; at < text.length; at += 4) unmask(text.slice(at, at + 4));
  },
  likelyWords: text => likelyWordsIn([text], wordsIn(text).slice(0, 40)),
  mcpResultText: text => formatMcpResult({ content: [{ type: 'text', text }], structuredContent: text }),
  makeToolDescription: text => makeToolDescription(text, text),
  listPhoneVariants,
  readRestTool,
  mergeRecord: text => warnOfNobody(mergeRecord(crowdOf(text), crowdOf(text)), mapping),
  mentionsIn: text => mentionsIn([text])(text),
  promptFactsOf: text => promptFactsOf({ a: text, [text]: 1 }, () => false),
  promptOf: text =>
    promptOf({
      ...prompt,
      passages: [text],
      instructions: [text],
      facts: text,
      userName: text,
      contextData: text,
      dialogue: [{ role: 'system', content: text, name: text }],
    }),
  planOfSearch: text => {
    const known = { word: text, written: text, stem: text, likeness: 1, chunks: 3, total: 9 };
    const words = queryWordsOf(joinQuery({ query: text, earlier: [text] }), [text]);
    return [
      searchPlanOf(meantStemsOf([known], words), words),
      termsOf([known], words),
      fullMatchOf([known], words),
      hasQueryWords(text),
    ];
  },
  queryIndexOf: text => queryIndexOf(terms).hitOf(text),
  // Passages are cached: the random end makes each one new.
  rankPassages: text => [
    coverageOf(terms, text),
    runToEnd(rankPassages({ terms, asksFor: 'time', countedNoun: 'uva' }, [`${text}${Math.random()}`])),
  ],
  parseMapping: text =>
    parseMapping('deals', { fields: { [text]: { to: 'email', after: text } }, required: [text] }),
  parseForm: text => parseForm({ a: { type: 'string' } }, JSON.stringify({ a: text })),
  parseInsight: text => parseInsight(text),
  readInsightText: text => parseInsight(JSON.stringify(text)),
  // A field is read only up to a length, and these two at any.
  plainEmailOf: text => [plainEmailOf(text), plainEmailOf(`${text}<${text}>`)],
  firstEmailOf: text => firstEmailOf(text),
  readPhone,
  parseValue: text =>
    (['text', 'integer', 'code', 'time', 'email', 'phone', 'cpf', 'date'] as const).map(reading =>
      parseValue(text, reading, { now: new Date(now), timeZone: 'America/Sao_Paulo' }),
    ),
  recentOf: text => recentOf([{ role: 'user', content: text }], 100),
  retrievalQueryOf: text => retrievalQueryOf(text, [text, text], text),
  peopleWords: text => [
    peopleWordsPromptOf([text]),
    parsePeopleWords(JSON.stringify({ passages: [{ number: 1, names: [text] }] }), 1),
  ],
  rewritten: text => {
    const found = { chunks: [{ chunkId: text }], coverage: text.length };
    const prompt = rewritePromptOf([{ role: 'user', content: text }], text);
    return [
      prompt,
      findsLittle(text, 0),
      rewrittenOf(text),
      mergeRewritten({ ...found, coverage: 0 }, found, 10),
    ];
  },
  nameListedItem: text => nameListedItem(`e o segundo? ${text}`.slice(0, 2_000), `1. a 2. ${text}`),
  retryAfter: text => retryAfterMsOf({ get: () => text }, now),
  saysNotFound,
  matchApproved: text => [
    matchApproved(text, [{ id: text, questions: [text, 'A prova de Cálculo é online?'] }]),
    matchApproved('A prova de Cálculo é online?', [{ id: text, questions: [text] }]),
  ],
  askedKeyOf,
  searchChangeOf,
  cpfAndPhoneIn,
  nameIn: text => nameIn([text, text]),
  quoteLine: text => quoteLine(text, 16_000),
  sentimentOf: text => sentimentOf([text]),
  splitIntoSentences,
  wholeSentencesOf,
  stemOf,
  findTeam: text => findTeam([{ id: text, name: text }], text),
  stepIdentitiesOf: text => stepIdentitiesOf([{ ...step, content: text }]),
  storableValue: text => storableValue({ [text]: [text] }),
  targetOf: text => targetOf(text, mapping),
  ...openApiReaders,
  truncateForModel: text => truncateForModel(text, 8_000),
  toolArgumentsOf,
  toolArgumentsText: text => toolArgumentsOf(JSON.stringify({ [text]: text })),
  urlFault: text => urlErrorOf(text, { allowPrivate: false }),
  isAddressAllowed: text => isAddressAllowed(text, { hostname: text, port: 80 }, [{ name: text }]),
  isNameAllowed: text => isAddressAllowed('10.0.0.5', { hostname: text, port: 80 }, [{ name: text }]),
  portOf: text => portOf({ port: text, protocol: text }),
  userDataFor: text => userDataFor([schemaOf(text)], { [text]: text }),
  webhookUrlFault: text => webhookUrlErrorOf(text, { allowPrivate: false }),
  urlFaultOfHost: text =>
    urlErrorOf(`http://${text}.example/${text}`.slice(0, 2_000), { allowPrivate: false }),
};
