import { collectPassageStems, type IndexedUnit, makeCachedStemmer } from './indexed-units.ts';

export type ContextTexts = readonly (readonly [strength: number, stems: ReadonlySet<string>])[];

// Shares from 0 to 1, tuned with the tuning questions.

/** How much a word counts that only a context text contains; `topic` is a heading or lead-in. */
const CONTEXT_STRENGTHS = { faqQuestion: 0.9, topic: 0.65, previousUnit: 0.4, passage: 0.25 };
/** From this strength on, a context text states the topic of the unit. */
const MIN_TOPIC_STRENGTH = CONTEXT_STRENGTHS.topic;

/** How much a subject counts that only the previous unit, or only another part of the passage, mentions. */
const PREVIOUS_UNIT_SHARE = 0.8;
const PASSAGE_FRACTION = 0.5;

/** The context texts of each unit, which may contain words that it omits. */
export function collectContextTexts(indexedUnits: readonly IndexedUnit[]): ContextTexts[] {
  const readStems = makeCachedStemmer();
  const passages = collectPassageStems(indexedUnits);
  return indexedUnits.map(({ unit }, index) => {
    const { faqQuestion, lead, headings, passage } = unit;
    const previous = indexedUnits[index - 1];
    const contextTexts: [number, ReadonlySet<string>][] = headings.map(text => [
      CONTEXT_STRENGTHS.topic,
      readStems(text),
    ]);
    if (faqQuestion !== undefined) contextTexts.push([CONTEXT_STRENGTHS.faqQuestion, readStems(faqQuestion)]);
    if (lead) contextTexts.push([CONTEXT_STRENGTHS.topic, readStems(lead.text)]);
    if (previous?.unit.passage === passage)
      contextTexts.push([CONTEXT_STRENGTHS.previousUnit, previous.stems]);
    contextTexts.push([CONTEXT_STRENGTHS.passage, passages.get(passage) ?? new Set()]);
    return contextTexts;
  });
}

/** The context texts by origin, each with the share at which it counts as mentioning the subject. */
export function groupContextTexts(contextTexts: ContextTexts) {
  const select = (share: number, isSelected: (strength: number) => boolean): ContextTexts =>
    contextTexts.filter(([strength]) => isSelected(strength)).map(([, stems]) => [share, stems]);
  return {
    topicTexts: select(1, strength => strength >= MIN_TOPIC_STRENGTH),
    previousTexts: select(PREVIOUS_UNIT_SHARE, strength => strength === CONTEXT_STRENGTHS.previousUnit),
    passageTexts: select(PASSAGE_FRACTION, strength => strength === CONTEXT_STRENGTHS.passage),
  };
}
