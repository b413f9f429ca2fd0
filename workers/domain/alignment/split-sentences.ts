/** UTF-16 offsets into a text: from one up to, and without, another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The rest of a longer text counts as one sentence. */
export const MAX_SENTENCES = 400;
/** A lookahead for the blank behind it would make a row of stops slow. */
const STOP = /[.!?…]+["”'’»)*_\]]*|\n+/g;
const BLANK = /\s/;
/** `Av. Brasil`, `art. 5º`, `Profa. Dra. Ana`: the stop belongs to the word. */
const ABBREVIATIONS = new Set(
  (
    'dr dra drs sr sra srs prof profa profs av r rod tel fone cel art arts inc par n nº num pág págs p fl ed obs ex fig ' +
    'ref cf ap apto bl cep km min max mín máx jan fev mar abr mai jun jul ago set out nov dez seg ter qua qui sex sáb ' +
    'dom depto univ'
  ).split(' '),
);
const WORD_BEFORE = /[\p{L}\p{N}º]{1,6}$/u;
const LIST_MARK = /(?:^|\n)[ \t]{0,8}[0-9]{1,3}$/;
const LOOK_BACK = 12;

/** The sentences of an answer, without the blanks around them; a line of a list or table is one, too. The last one is the rest. */
export function splitSentences(text: string, most = MAX_SENTENCES): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const { 0: stop, index } of text.matchAll(STOP)) {
    if (spans.length >= most - 1) break;
    const end = index + stop.length;
    const isLineEnd = stop.startsWith('\n');
    if (!isLineEnd && !BLANK.test(text.charAt(end))) continue;
    if (stop === '.' && !isEnd(text, index)) continue;
    addSpan(spans, text, from, end);
    from = end;
  }
  addSpan(spans, text, from, text.length);
  return spans;
}

function isEnd(text: string, stop: number): boolean {
  const before = text.slice(Math.max(0, stop - LOOK_BACK), stop);
  const word = WORD_BEFORE.exec(before)?.[0] ?? '';
  const isInitial = word.length === 1 && word !== word.toLowerCase();
  return !(isInitial || ABBREVIATIONS.has(word.toLowerCase()) || LIST_MARK.test(before));
}

function addSpan(spans: Span[], text: string, start: number, end: number): void {
  const piece = text.slice(start, end);
  const from = start + (piece.length - piece.trimStart().length);
  const to = from + piece.trim().length;
  if (to > from) spans.push({ from, to });
}
