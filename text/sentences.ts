/*
 * Sentences are split in three manners, because their readers need different ones:
 *
 * - An answer is checked sentence by sentence while it comes, and models write small letters, too. Whatever follows a stop and
 *   a blank is a sentence: `custa R$ 10. aceita pix` is two.
 * - Whoever quotes a text must not quote half a sentence of it. There a sentence begins with a capital, a digit or a sign, more
 *   words are abbreviations, and a step keeps its number: `O prazo (v. Edital) vence` and `2. Abra o portal` stay whole.
 * - Retrieval weighs the words that stand together in a clause. Its texts are folded, so nothing tells an abbreviation from an
 *   end by a capital: it cuts at every stop, and at semicolons. What it finds was measured so.
 */

/** UTF-16 offsets into a text: from one up to, and without, another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** More text than this counts as one sentence. */
export const MAX_SENTENCES = 400;
/** A lookahead for the blank after it would make a row of stops slow. */
const STOP = /[.!?…]+["”'’»)*_\]]*|\n+/g;
const BLANK = /\s/;
/** The stop belongs to the word in `Av. Brasil`, `art. 5º`, `Profa. Dra. Ana`. */
const ABBREVIATIONS =
  'dr dra drs sr sra srs prof profa profs av r rod tel fone cel art arts inc par n nº num pág págs p fl ed obs ex fig ref ' +
  'cf ap apto bl cep km min max mín máx jan fev mar abr mai jun jul ago set out nov dez seg ter qua qui sex sáb dom depto univ';
const MORE_ABBREVIATIONS =
  'srta me ma esp eng exmo exma pça pca al trav ramal nr pag pp fls cap vol tab vs qd lt aprox sab ltda cia dept fac tít tit ' +
  'resp c h v';
const WORD_BEFORE = /[\p{L}\p{N}º]{1,6}$/u;
const LIST_MARK = /(?:^|\n)[ \t]{0,8}[0-9]{1,3}$/;
const LOOK_BACK = 12;

interface Manner {
  readonly abbreviations: ReadonlySet<string>;
  /** Matches the start of a sentence, after a stop and a blank. */
  readonly start?: RegExp;
}

const ofAnswers: Manner = { abbreviations: new Set(ABBREVIATIONS.split(' ')) };
const ofQuotes: Manner = {
  abbreviations: new Set(`${ABBREVIATIONS} ${MORE_ABBREVIATIONS}`.split(' ')),
  start: /[\p{Lu}\p{N}"“'‘«(*_[§•–-]/u,
};

/**
 * Splits an answer into sentences, without the blanks around them; a line of a list or table is a sentence, too. The last one
 * holds the rest.
 */
export function splitSentences(text: string, most = MAX_SENTENCES): Span[] {
  return spansOf(text, most, ofAnswers);
}

/**
 * Returns a text that was cut anywhere up to the end of its last whole sentence or line, or all of it where none is whole. A stop
 * behind a figure at its end may be within one: `R$ 1.` of `R$ 1.250,00`.
 */
export function wholeSentencesOf(cut: string): string {
  const mayGoOn = /\s$|\p{N}\.$/u.test(cut);
  // The last sentence is the cut one, or this letter alone.
  const spans = spansOf(`${cut}${mayGoOn ? '' : ' '}x`, Number.POSITIVE_INFINITY, ofAnswers);
  const last = spans.at(-2);
  return last ? cut.slice(0, last.to) : cut;
}

/** Splits a quoted paragraph into sentences, with single blanks; a very long sentence into clauses. */
export function splitIntoSentences(paragraph: string): string[] {
  const text = paragraph.replace(/\s+/g, ' ').trim();
  return spansOf(text, Number.POSITIVE_INFINITY, ofQuotes)
    .flatMap(({ from, to }) => splitIntoClauses(text.slice(from, to), /(?<=;) /))
    .flatMap(clause => splitIntoClauses(clause, /(?<=,) /));
}

/** Splits a folded text into clauses, with a table row as one; the last of `most` holds the rest. */
export function splitFolded(folded: string, most: number): string[] {
  const clauses = folded
    .split(/\n+/)
    .flatMap(line => (line.startsWith('|') ? line : line.split(/(?<=[.!?;])\s+/)));
  return [...clauses.slice(0, most - 1), clauses.slice(most - 1).join(' ')];
}

function spansOf(text: string, most: number, manner: Manner): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const { 0: stop, index } of text.matchAll(STOP)) {
    if (spans.length >= most - 1) break;
    const end = index + stop.length;
    const isLineEnd = stop.startsWith('\n');
    if (!isLineEnd && !BLANK.test(text.charAt(end))) continue;
    if (manner.start && !manner.start.test(text.charAt(end + 1))) continue;
    if (stop === '.' && !isEnd(text, manner.start ? from : 0, index, manner.abbreviations)) continue;
    addSpan(spans, text, from, end);
    from = end;
  }
  addSpan(spans, text, from, text.length);
  return spans;
}

function isEnd(text: string, from: number, stop: number, abbreviations: ReadonlySet<string>): boolean {
  const before = text.slice(Math.max(from, stop - LOOK_BACK), stop);
  const word = WORD_BEFORE.exec(before)?.[0] ?? '';
  const isInitial = word.length === 1 && word !== word.toLowerCase();
  return !(isInitial || abbreviations.has(word.toLowerCase()) || LIST_MARK.test(before));
}

function addSpan(spans: Span[], text: string, start: number, end: number): void {
  const piece = text.slice(start, end);
  const from = start + (piece.length - piece.trimStart().length);
  const to = from + piece.trim().length;
  if (to > from) spans.push({ from, to });
}

/** In characters: more of a text is no quote. */
export const MAX_QUOTED = 400;

/** Splits long texts without full stops, such as statutes, at semicolons or commas. */
function splitIntoClauses(sentence: string, separator: RegExp): string[] {
  if (sentence.length <= MAX_QUOTED) return [sentence];
  const clauses: string[] = [];
  let pending = '';
  for (const clause of sentence.split(separator)) {
    if (pending && pending.length + clause.length > MAX_QUOTED / 2) {
      clauses.push(pending);
      pending = clause;
    } else pending = pending ? `${pending} ${clause}` : clause;
  }
  return pending ? [...clauses, pending] : clauses;
}
