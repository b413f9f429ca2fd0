import { readFileSync } from 'node:fs';
import type { Db } from '../../db/connection.ts';
import { withHost } from '../../db/with-hosts.ts';
import { findAnswer, type Passage } from '../../text/answers/find-answer.ts';
import { foldText } from '../../text/fold.ts';
import { retrievalQueryOf } from '../../workers/domain/retrieval/retrieval-query.ts';
import { searchByWords } from '../../workers/retrieval/find-knowledge.ts';
import { knowledgeOf } from './knowledge.bench.ts';
import type { Question, QuestionSet } from './question-set.bench.ts';

/** As many passages as a host reads for a turn by default. */
const MOST = 10;

interface FoundQuestion extends Question {
  /** Texts of which a right answer has one. */
  readonly spans: readonly string[];
  readonly found: readonly Passage[];
  /** What is found where the passage with the answer is not known. */
  readonly without: readonly Passage[];
}

/** Prints how often what an avatar quotes has the right words, how long it is, and how often it quotes although the answer stands nowhere. */
export async function showQuotes(db: Db, set: QuestionSet): Promise<void> {
  const questions = await findPassages(db, set);
  const quotes = questions.map(({ text, found, earlier }) => findAnswer(text, found, earlier));
  const share = (isSo: (question: FoundQuestion, quote: string | undefined) => boolean) =>
    (questions.filter((question, at) => isSo(question, quotes[at])).length / questions.length).toFixed(3);
  const lengths = quotes.flatMap(quote => (quote === undefined ? [] : quote.length));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const isHeld = ({ spans }: FoundQuestion, text = '') => spans.some(span => holds(text, span));
  console.log(`\n${set.name}: quotes for ${questions.length} questions over ${set.passages.length} passages`);
  console.log(
    `found by the search       ${share(question => isHeld(question, question.found.map(each => each.text).join('\n')))}`,
  );
  console.log(`quoted                    ${share((_, quote) => quote !== undefined)}`);
  console.log(`  with the right words    ${share(isHeld)}`);
  console.log(`  characters, mean        ${mean.toFixed(0)}, at most ${Math.max(...lengths)}`);
  const astray = share(({ text, without, earlier }) => findAnswer(text, without, earlier) !== undefined);
  console.log(`quoted without the passage ${astray}`);
}

async function findPassages(db: Db, { passages, questions }: QuestionSet): Promise<FoundQuestion[]> {
  const { hostId, avatarId } = await knowledgeOf(db, passages);
  return withHost(db, hostId, async scope => {
    const asked: FoundQuestion[] = [];
    for (const question of questions.filter(({ span }) => span !== undefined)) {
      const query = retrievalQueryOf(question.text, question.earlier, question.lastAnswer);
      const search = { avatarId, ...query, filterTerms: 'unfiltered', limit: MOST + 1 } as const;
      const { chunks, fullMatch } = await searchByWords(scope, search);
      const all = chunks
        .slice(0, MOST + 1)
        .map(({ body, score }) => ({ text: body, relevance: score / fullMatch }));
      const without = all.filter(({ text }) => text !== passages[question.passage]).slice(0, MOST);
      asked.push({
        ...question,
        spans: (question.span ?? '').split('\n'),
        found: all.slice(0, MOST),
        without,
      });
    }
    return asked;
  });
}

function holds(text: string, span: string): boolean {
  const plain = (each: string) => foldText(each).replaceAll(/\s+/g, ' ').trim();
  return plain(text).includes(plain(span));
}

interface Squad {
  readonly data: readonly {
    readonly paragraphs: readonly {
      readonly context: string;
      readonly qas: readonly {
        readonly question: string;
        readonly answers: readonly { readonly text: string }[];
      }[];
    }[];
  }[];
}

/** Reads a file in the form of SQuAD, such as FaQuAD's `dataset.json` (github.com/liafacom/faquad). */
export function readSquad(file: string): QuestionSet {
  const { data }: Squad = JSON.parse(readFileSync(file, 'utf8'));
  const paragraphs = data.flatMap(each => each.paragraphs);
  const questions = paragraphs.flatMap(({ qas }, passage) =>
    qas.map(({ question, answers }): Question => {
      const span = answers.map(({ text }) => text.replaceAll('\n', ' ').trim()).join('\n');
      return { passage, text: question, earlier: [], lastAnswer: '', kind: 'plain', span };
    }),
  );
  return { name: file, passages: paragraphs.map(({ context }) => context), questions };
}
