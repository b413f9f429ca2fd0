import { expect } from 'chai';
import { extractAnswer } from '../../offline-model/extraction/extract-answer.ts';
import { toComparableText } from '../../offline-model/extraction/words.ts';
import { heldOutPassages } from './held-out-passages.ts';
import { heldOutQuestions, heldOutUnanswerable } from './held-out-questions.ts';
import { tuningPassages } from './tuning-passages.ts';
import { tuningQuestions, tuningUnanswerable } from './tuning-questions.ts';

type Questions = readonly (readonly [passage: string, question: string, span: string])[];

const plain = (text: string) => toComparableText(text).replaceAll('*', '').replace(/\s+/g, ' ');

const sets: readonly (readonly [string, Readonly<Record<string, string>>, Questions, readonly string[]])[] = [
  ['tuning', tuningPassages, tuningQuestions, tuningUnanswerable],
  ['held-out', heldOutPassages, heldOutQuestions, heldOutUnanswerable],
];

for (const [name, passages, questions, unanswerable] of sets) {
  describe(`offline model: accuracy on the ${name} questions`, () => {
    const all = Object.values(passages);
    const answers = questions.map(([, question]) => extractAnswer(question, all)?.text ?? '');

    it('finds the expected words among all passages for three questions in four', () => {
      const hits = questions.filter(([, , span], at) => plain(answers[at] ?? '').includes(plain(span)));
      expect(hits.length / questions.length).to.be.at.least(0.75);
    });

    it('stays compact: 200 characters on average, never more than 600', () => {
      const lengths = answers.map(answer => answer.length);
      expect(lengths.reduce((sum, length) => sum + length, 0) / lengths.length).to.be.at.most(200);
      expect(Math.max(...lengths)).to.be.at.most(600);
    });

    it('is not sure of any answer to a question about something else', () => {
      const sure = unanswerable.filter(question => extractAnswer(question, all)?.isSure);
      expect(sure).to.deep.equal([]);
    });

    it('asks about spans that the passages really hold', () => {
      for (const [id, question, span] of questions) {
        expect(plain(passages[id] ?? ''), question).to.include(plain(span));
      }
    });
  });
}
