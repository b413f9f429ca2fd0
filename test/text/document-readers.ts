import { findAgainst } from '../../workers/domain/contradictions/find-against.ts';
import { countStems, findContradictions } from '../../workers/domain/contradictions/find-contradictions.ts';
import { isAttribute, isName } from '../../workers/domain/documents/cell-kinds.ts';
import { joinLines } from '../../workers/domain/documents/join-lines.ts';
import { pairsOf } from '../../workers/domain/documents/label-pairs.ts';
import { pdfBlocksOf, pdfLinesOf } from '../../workers/domain/documents/pdf-blocks.ts';
import { isRaisedMark, loweredText, raisedText } from '../../workers/domain/documents/raised.ts';
import { sidesOf, tablesOf } from '../../workers/domain/documents/sheet-tables.ts';
import { joinLetters } from '../../workers/domain/documents/spaced-letters.ts';
import { parseScan, scanPromptOf } from '../../workers/domain/prompts/scan-prompt.ts';
import { keyOfQuestion, proposeQuestions } from '../../workers/domain/propose-questions.ts';
import { runToEnd } from '../support/run-to-end.ts';

/** Pieces of the text on a page, with so many beside each other. */
function pdfPageOf(text: string, length: number, beside: number) {
  const pieces = text.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? [];
  return pdfLinesOf(
    pieces.map((piece, at) => ({
      text: piece,
      x: (at % beside) * 9 * (length + 3),
      y: -12 * Math.floor(at / beside),
      width: 9 * length,
      size: 9,
    })),
  );
}

function sheetOf(text: string) {
  const cells = text.split(/[\s,:]/);
  return Array.from({ length: Math.ceil(cells.length / 2) }, (_, at) => ({
    number: at + 1,
    cells: cells.slice(2 * at, 2 * at + 2),
  }));
}

export const DOCUMENT_READERS: Readonly<Record<string, (text: string) => unknown>> = {
  scans: text => [scanPromptOf(text, 1), parseScan(text), parseScan(`\`\`\`\n${text}\n\`\`\``)],
  proposeQuestions: text => {
    const contents = [text, `## ${text}\n${text}`, `## Prova > ${text}\n\n${text}`];
    const passages = contents.map((content, at) => ({ id: `${at}`, content, page: text }));
    return [keyOfQuestion(text), proposeQuestions(passages, 30)];
  },
  joinLines,
  isAttribute,
  isName,
  tablesOf: text =>
    [text, ' ' + text].map(each => [tablesOf(sheetOf(each)), sidesOf(sheetOf(each)), pairsOf(sheetOf(each))]),
  joinLetters: text => {
    const item = { x: 0, y: 0, width: 10, size: 10, font: 'a' };
    return joinLetters(
      [
        ...Array.from(text).map((each, at) => ({ ...item, text: each, x: 10 * at })),
        { ...item, text, y: 20 },
      ],
      text,
    );
  },
  blocksOfPdf: text =>
    pdfBlocksOf([pdfPageOf(text, 1, text.length), pdfPageOf(text, 60, 1), pdfPageOf(text, 6, 3)]),
  isRaisedMark,
  loweredText: text => loweredText(text, text, text),
  raisedText: text => [raisedText(text, '1', text), raisedText('R$ 1.200', text)],
  countStems: text => runToEnd(countStems([{ id: '1', content: text }], 1)),
  findContradictions: text => {
    const passages = [10, 12].map(n => ({ id: `${n}`, content: `O diploma custa ${n} reais. ${text}` }));
    return runToEnd(findContradictions(passages));
  },
  findAgainst: text => {
    const answers = [{ id: 'a', question: `Quanto custa o diploma? ${text}`, answer: `10 reais. ${text}` }];
    return runToEnd(findAgainst(answers, [{ id: 'b', content: `O diploma custa 12 reais. ${text}` }], {}));
  },
};
