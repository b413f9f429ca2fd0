import { expect } from 'chai';
import { extractAnswer } from '../../offline-model/extraction/extract-answer.ts';
import { toComparableText } from '../../offline-model/extraction/words.ts';
import { makeMasking } from '../../workers/domain/masking/masking.ts';
import { heldOutPassages } from './held-out-passages.ts';
import { heldOutQuestions } from './held-out-questions.ts';
import { tuningPassages } from './tuning-passages.ts';
import { tuningQuestions } from './tuning-questions.ts';

const plain = (text: string) => toComparableText(text).replaceAll('*', '').replaceAll(/\s+/g, ' ');

describe('offline model: knowledge whose personal identifiers are masked', () => {
  it('answers as many questions as with plain knowledge', () => {
    const passagesByKey: Readonly<Record<string, string>> = { ...tuningPassages, ...heldOutPassages };
    const masking = makeMasking();
    const lost = [...tuningQuestions, ...heldOutQuestions].filter(([key, question, span]) => {
      const passages = [passagesByKey[key] ?? '', ...Object.values(tuningPassages).slice(0, 9)];
      const holds = (answer = '') => plain(answer).includes(plain(span));
      const masked = extractAnswer(
        masking.mask(question),
        passages.map(passage => masking.mask(passage)),
      )?.text;
      return holds(extractAnswer(question, passages)?.text) && !holds(masking.unmask(masked ?? ''));
    });
    expect(lost).to.deep.equal([]);
    expect(masking.findNewValues()).to.have.length.above(10);
  });
});
