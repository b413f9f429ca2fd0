import { type AskedKind, offeredKindsOf } from '../asked-kind.ts';
import { foldText } from '../fold.ts';
import { MAX_QUOTED, splitIntoSentences } from '../sentences.ts';
import { isSpecific, stemOf, wordsOf } from '../words.ts';

/** A unit that can be quoted: a sentence, an item of a list, a row of a table, a record of `label: value` lines. */
export interface Statement {
  /** Includes the previous sentence if the statement is not understood alone. */
  readonly text: string;
  /** Normalized words, in their order. */
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
  /** The stems of its headings, of the question above it, and of the sentence that introduces its list. */
  readonly topic: ReadonlySet<string>;
  /** The heading directly above it. */
  readonly heading: Heading | undefined;
  readonly passage: number;
  readonly kinds: readonly AskedKind[];
}

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly stems: ReadonlySet<string>;
}

const RULE = /^(?:[-*_=\s]{3,}|```.*)$/;
const HEADING = /^(#{1,6})\s+(\S.*)$/;
const BOLD_LINE = /^(?:\*\*|__)([^*_]{2,100})(?:\*\*|__):?$/;
const ITEM = /^\s*(?:[-*+•–]|\d{1,3}[.)]|[a-zA-Z]\))\s+(\S.*)$/;
const LABELLED = /^[*_]{0,3}\p{Lu}[^.!?:]{0,40}:/u;
const FAQ_MARK = /^[*_]*(?:pergunta|resposta|p|r)\s*:[*_]*\s*/i;
/** A sentence that begins like this continues the one before it. */
const CONTINUATION =
  /^(?:el[ea]s?|ess[ea]s?|est[ea]s?|isso|isto|nest[ea]s?|ness[ea]s?|também|caso contrário|por isso|portanto|assim)(?!\p{L})/iu;
/** Levels below Markdown: a line in bold, and a question in the text, which acts as a heading. */
const [BOLD_LEVEL, QUESTION_LEVEL] = [7, 8];
/** In characters. All statements under a heading get its words. */
const MAX_HEADING = 300;

/** Takes time linear in the length of the passages. */
export function statementsOf(passages: readonly string[]): Statement[] {
  return passages.flatMap((passage, at) => new PassageReader(at).read(passage));
}

class PassageReader {
  readonly #passage: number;
  readonly #statements: Statement[] = [];
  #headings: readonly Heading[] = [];
  #paragraph: string[] = [];
  #columns: readonly string[] | undefined;
  #lead = '';
  #items: string[] = [];
  #sentence = '';

  constructor(passage: number) {
    this.#passage = passage;
  }

  read(passage: string): readonly Statement[] {
    for (const line of passage.split(/\r\n?|\n/)) this.#readLine(line.replace(/^(?:\s*>)+ ?/, '').trimEnd());
    this.#endParagraph();
    this.#endList();
    return this.#statements;
  }

  #readLine(line: string): void {
    const text = line.trim();
    const item = ITEM.exec(line)?.[1];
    const isIndented = /^\s{2}/.test(line);
    if (text && !item && !isIndented) this.#endList();
    if (text.startsWith('|')) return this.#readRow(text);
    this.#columns = undefined;
    const [, marks = '', heading] = HEADING.exec(text) ?? [];
    const bold = BOLD_LINE.exec(text)?.[1];
    if (heading) this.#addHeading(marks.length, heading);
    else if (bold) this.#addHeading(BOLD_LEVEL, bold);
    else if (item) this.#addItem(item);
    else if (!text || RULE.test(text)) this.#endParagraph();
    else if (isIndented && this.#items.length > 0) this.#items.push(`${this.#items.pop()} ${text}`);
    else this.#paragraph.push(text);
  }

  /** Makes one sentence of a row, with the names of its columns. */
  #readRow(line: string): void {
    this.#endParagraph();
    if (/^[|:\-\s]+$/.test(line)) return;
    const cells = line
      .slice(1)
      .split('|')
      .map(cell => cell.trim());
    const columns = this.#columns;
    this.#columns ??= cells;
    if (columns)
      this.#add(
        cells
          .flatMap((cell, at) => (cell ? (columns[at] ? `${columns[at]}: ${cell}` : cell) : []))
          .join('; '),
      );
  }

  /** Splits the headings of an imported document, which are in one line: `Edital > Faltas`. */
  #addHeading(level: number, line: string): void {
    this.#endParagraph();
    this.#sentence = '';
    const added = line
      .slice(0, MAX_HEADING)
      .split(' > ')
      .map(text => ({ level, text, stems: stemsOf(text) }));
    this.#headings = [...this.#headings.filter(heading => heading.level < level), ...added];
  }

  #addItem(text: string): void {
    this.#endParagraph();
    if (this.#items.length === 0) this.#lead = this.#sentence.endsWith(':') ? this.#sentence : '';
    this.#items.push(text);
  }

  /** Makes a statement of each item, and one of all items with the sentence that introduces them. */
  #endList(): void {
    const [lead, items] = [this.#lead, this.#items];
    [this.#lead, this.#items] = ['', []];
    if (lead) {
      this.#statements.pop();
      this.#add([lead, ...items.map(item => `- ${item}`)].join('\n'));
    }
    for (const item of items) this.#add(item, lead);
  }

  /** Makes one record of labelled lines in a row, and sentences of the others. */
  #endParagraph(): void {
    const lines = this.#paragraph;
    this.#paragraph = [];
    const isLabelled = (line = '') => LABELLED.test(line) && !FAQ_MARK.test(line);
    for (let at = 0; at < lines.length; ) {
      const run = [lines[at] ?? ''];
      const isRecord = isLabelled(run[0]);
      for (at += 1; at < lines.length; at += 1) {
        if (isLabelled(lines[at]) !== isRecord || FAQ_MARK.test(lines[at] ?? '')) break;
        run.push(lines[at] ?? '');
      }
      if (isRecord) this.#add(run.join('\n'));
      else
        for (const each of splitIntoSentences(run.join(' '))) this.#addSentence(each.replace(FAQ_MARK, ''));
    }
  }

  #addSentence(text: string): void {
    const isQuestion = text.replace(/["”*_]{1,4}$/, '').endsWith('?');
    if (isQuestion) this.#addHeading(QUESTION_LEVEL, text);
    else this.#add(text);
  }

  #add(text: string, lead = ''): void {
    const isTogether = CONTINUATION.test(text) && this.#sentence.length + text.length < MAX_QUOTED;
    const before = isTogether ? this.#sentence : '';
    const words = wordsOf(foldText(text));
    const under = [lead, before].flatMap(each => [...stemsOf(each)]);
    this.#sentence = text;
    this.#statements.push({
      text: before ? `${before} ${text}` : text,
      words,
      stems: stemsOf(text),
      topic: new Set([...this.#headings.flatMap(({ stems }) => [...stems]), ...under]),
      heading: this.#headings.at(-1),
      passage: this.#passage,
      kinds: offeredKindsOf(foldText(text)),
    });
  }
}

/** The stems of the specific words of a text, in their order. */
export function stemsOf(text: string): ReadonlySet<string> {
  return new Set(wordsOf(foldText(text)).filter(isSpecific).map(stemOf));
}
