import { expect } from 'chai';
import { searchChangeOf } from '../../db/search/channel-message.ts';
import { storableValue } from '../../platform/storable-text.ts';
import { checkAnswer } from '../../workers/domain/alignment/check-answer.ts';
import { makeSentenceGate } from '../../workers/domain/alignment/withhold-sentences.ts';
import { cpfOf } from '../../workers/domain/contact/cpf.ts';
import { e164Of, listPhoneVariants } from '../../workers/domain/contact/phone.ts';
import { type MappedRecord, targetOf } from '../../workers/domain/crm/field-mapping.ts';
import { mergeRecord } from '../../workers/domain/crm/merge-record.ts';
import { readValue } from '../../workers/domain/crm/read-value.ts';
import { findUrlError } from '../../workers/domain/egress-address.ts';
import { stepIdentitiesOf } from '../../workers/domain/flow-step.ts';
import { flowPlanOf } from '../../workers/domain/flow-steps.ts';
import { frontMatterOf, hasFrontMatterWithin } from '../../workers/domain/front-matter/front-matter.ts';
import { filterTermsOf } from '../../workers/domain/front-matter/passage-filter.ts';
import { findName } from '../../workers/domain/insight/find-name.ts';
import { heatFeaturesOf } from '../../workers/domain/insight/heat-features.ts';
import { readInsight } from '../../workers/domain/insight/insight-answer.ts';
import { sentimentOf } from '../../workers/domain/insight/sentiment.ts';
import { summarizeByRules } from '../../workers/domain/insight/summarize-by-rules.ts';
import { foldText } from '../../workers/domain/masking/fold-text.ts';
import { maskJson } from '../../workers/domain/masking/mask-value.ts';
import { makeMasking, maskAlone } from '../../workers/domain/masking/masking.ts';
import { makePieceUnmasker } from '../../workers/domain/masking/unmask-pieces.ts';
import { insightPromptOf } from '../../workers/domain/prompts/insight-prompt.ts';
import { formatMcpResult } from '../../workers/domain/prompts/mcp-result.ts';
import { makeToolDescription } from '../../workers/domain/prompts/offered-tool.ts';
import { type PromptParts, promptOf, recentOf } from '../../workers/domain/prompts/prompt.ts';
import { mentionsIn, promptFactsOf } from '../../workers/domain/prompts/prompt-facts.ts';
import { addressesIn } from '../../workers/domain/retrieval/address-tokens.ts';
import { askedKindOf } from '../../workers/domain/retrieval/asked-kind.ts';
import { nameListedItem } from '../../workers/domain/retrieval/listed-item.ts';
import { queryIndexOf } from '../../workers/domain/retrieval/query-index.ts';
import { countedNounOf, listQueryWords } from '../../workers/domain/retrieval/query-words.ts';
import { rankPassages } from '../../workers/domain/retrieval/rank-passages.ts';
import { retrievalQueryOf } from '../../workers/domain/retrieval/retrieval-query.ts';
import { stemOf } from '../../workers/domain/retrieval/stem-of.ts';
import { readForm } from '../../workers/domain/schemas/form-answer.ts';
import { frontSchemaOf } from '../../workers/domain/schemas/front-schema.ts';
import { findKnownArguments } from '../../workers/domain/schemas/known-arguments.ts';
import { toolArgumentsOf, truncateForModel } from '../../workers/domain/schemas/tool-arguments.ts';
import { findCpfAndPhone } from '../../workers/domain/search/find-cpf-and-phone.ts';
import { findLikelyWords, highlightOf, wordsIn } from '../../workers/domain/search/search-highlight.ts';
import { quoteLine } from '../../workers/domain/text/one-line.ts';
import { instantOf } from '../../workers/domain/time/instant.ts';
import { toolNameOf } from '../../workers/domain/tool-name.ts';
import { ADVERSARIAL } from '../support/adversarial-texts.ts';
import { growthBeyondLinear } from '../support/growth.ts';
import { runToEnd } from '../support/run-to-end.ts';

const now = Date.UTC(2026, 2, 2);
const said = (content: string) => [
  { author: 'user' as const, content, at: now },
  { author: 'assistant' as const, content, at: now },
];
const prompt: PromptParts = { persona: '', passages: [], dialogue: [], question: '' };
const mapping = { target: 'leads', fields: {}, required: [], solvedStages: [], campus: true } as const;
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

/** Every domain function that reads untrusted text. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  addressesIn,
  listQueryWords: text => listQueryWords(text, [text, text]),
  askedKindOf,
  countedNounOf,
  // What is read of passages is remembered: the random end makes each one new.
  checkAnswer: text =>
    runToEnd(checkAnswer(text, { passages: [`${text}${Math.random()}`], standing: [], others: [text] })),
  cpfOf,
  e164Of,
  filterTermsOf: text => filterTermsOf({ a: text, b: [text] }, { [text]: text }),
  flowPlanOf: text => flowPlanOf([{ ...step, content: text }], { isDone: () => false, hasRun: () => false }),
  frontMatterOf,
  hasFrontMatterWithin,
  frontSchemaOf: text =>
    frontSchemaOf({
      name: text,
      frontName: text,
      description: text,
      schemaName: text,
      arguments: {},
      frontSchema: { title: text },
    }),
  toolNameOf: text => toolNameOf(text, () => false),
  summarizeByRules: text => summarizeByRules(said(text), { askHumanHelp: false, hasContactData: false }),
  heatFeaturesOf: text => heatFeaturesOf(said(text), now),
  gateOfSentences: text => {
    const gate = makeSentenceGate(() => true, '');
    return Array.from(text, piece => gate.add(piece)).join('') + gate.end();
  },
  highlightOf: text => highlightOf(text, word => word === 'secretaria'),
  insightPromptOf: text =>
    insightPromptOf({ earlierSummary: text, earlierTopic: text, messages: said(text) }),
  instantOf: text => instantOf(text, 'America/Sao_Paulo'),
  findKnownArguments: text =>
    findKnownArguments({ required: [text] }, { globalData: { [text]: text }, userData: { [text]: text } }),
  foldText: text => foldText(text).text,
  maskAlone,
  maskJson: text => maskJson(JSON.stringify({ [text]: text }), makeMasking()),
  unmask: text => {
    const masking = makeMasking();
    masking.mask('529.982.247-25');
    return masking.unmask(text);
  },
  unmaskPieces: text => {
    const unmask = makePieceUnmasker(
      makeMasking([{ kind: 'CPF', key: '52998224725', text: '529.982.247-25' }]),
    );
    for (let at = 0; at < text.length; at += 4) unmask(text.slice(at, at + 4));
  },
  likelyWords: text => findLikelyWords([text], wordsIn(text).slice(0, 40)),
  mcpResultText: text => formatMcpResult({ content: [{ type: 'text', text }], structuredContent: text }),
  makeToolDescription: text => makeToolDescription(text, text),
  listPhoneVariants,
  mergeRecord: text => mergeRecord(crowdOf(text), crowdOf(text)),
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
  queryIndexOf: text => queryIndexOf(terms).hitOf(text),
  // Passages are cached: the random end makes each one new.
  rankPassages: text =>
    runToEnd(rankPassages({ terms, asksFor: 'time', countedNoun: 'uva' }, [`${text}${Math.random()}`])),
  readForm: text => readForm({ a: { type: 'string' } }, JSON.stringify({ a: text })),
  readInsight: text => readInsight(text),
  readInsightText: text => readInsight(JSON.stringify(text)),
  readValue: text =>
    (['text', 'integer', 'code', 'time', 'email', 'phone', 'cpf', 'date'] as const).map(reading =>
      readValue(text, reading, { now: new Date(now), timeZone: 'America/Sao_Paulo' }),
    ),
  recentOf: text => recentOf([{ role: 'user', content: text }], 100),
  retrievalQueryOf: text => retrievalQueryOf(text, [text, text], text),
  nameListedItem: text => nameListedItem(`e o segundo? ${text}`.slice(0, 2_000), `1. a 2. ${text}`),
  searchChangeOf,
  findCpfAndPhone,
  findName: text => findName([text, text]),
  quoteLine: text => quoteLine(text, 16_000),
  sentimentOf: text => sentimentOf([text]),
  stemOf,
  stepIdentitiesOf: text => stepIdentitiesOf([{ ...step, content: text }]),
  storableValue: text => storableValue({ [text]: [text] }),
  targetOf: text => targetOf(text, mapping),
  truncateForModel: text => truncateForModel(text, 8_000),
  toolArgumentsOf,
  toolArgumentsText: text => toolArgumentsOf(JSON.stringify({ [text]: text })),
  urlFault: text => findUrlError(text, { allowPrivate: false }),
  urlFaultOfHost: text =>
    findUrlError(`http://${text}.example/${text}`.slice(0, 2_000), { allowPrivate: false }),
};

describe('The time of every reader of strangers’ texts', () => {
  for (const [name, run] of Object.entries(READERS)) {
    it(`grows with the length of the text and no faster: ${name}`, () => {
      const beyond = ADVERSARIAL.flatMap(([text, textOf]) => {
        const growth = growthBeyondLinear(run, textOf);
        return growth === undefined ? [] : [`${text}: ${growth}`];
      });
      expect(beyond).to.deep.equal([]);
    });
  }
});
