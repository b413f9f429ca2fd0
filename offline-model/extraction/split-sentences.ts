/**
 * Splits Portuguese text into sentences in one pass over the stops. A full stop ends a sentence only if the
 * following text looks like a start and the preceding is no abbreviation, initial, ordinal or number: "Av. Brasil",
 * "art. 5º", "R$ 1.234,56" and "J. Silva" stay whole.
 */
const abbreviations = new Set(
  (
    'dr dra drs sr sra srs srta prof profa profs me ma esp eng exmo exma av r rod pça pca al trav tel fone cel ramal art arts inc par ' +
    'n nº nr num pág pag págs p pp fl fls cap ed vol obs ex fig tab ref cf vs apto ap bl qd lt cep km min max mín máx aprox ' +
    'jan fev mar abr mai jun jul ago set out nov dez seg ter qua qui sex sáb sab dom ltda cia dept depto univ fac tít tit resp c.h'
  ).split(' '),
);

/** Characters. Longer sentences are split into clauses, because an answer has 600. */
const MAX_SENTENCE_LENGTH = 400;
/** Characters before a stop that are searched for an abbreviation: keeps the search linear. */
const MAX_ABBREVIATION_LENGTH = 12;

function endsWithAbbreviation(text: string, stop: number, start: number): boolean {
  let from = stop;
  while (
    from > start &&
    stop - from < MAX_ABBREVIATION_LENGTH &&
    /[\p{L}\p{N}.º]/u.test(text[from - 1] ?? '')
  )
    from -= 1;
  const word = text.slice(from, stop);
  if (/^\p{L}$/u.test(word)) return true;
  return abbreviations.has(word.toLowerCase()) || /^(?:\p{L}\.)+\p{L}$/u.test(word);
}

function isSentenceStart(text: string, index: number): boolean {
  return /[\p{Lu}\p{N}"“'‘«(*_[§•–-]/u.test(text[index] ?? '');
}

/** The end of the stops, closing quotes and brackets that begin at `stop`. */
function findEndOfStops(text: string, stop: number): number {
  let next = stop + 1;
  while (/["”'’»)*_\].!?…]/.test(text[next] ?? '')) next += 1;
  return next;
}

function isSentenceEnd(text: string, start: number, stop: number, next: number): boolean {
  if (next >= text.length) return true;
  if (text[next] !== ' ' || !isSentenceStart(text, next + 1)) return false;
  if (text[stop] !== '.') return true;
  // "1. Abra o portal": a step number is no sentence.
  if (stop - start < 4 && /^\d{1,3}$/.test(text.slice(start, stop).trim())) return false;
  return !endsWithAbbreviation(text, stop, start);
}

/** Splits long texts without full stops, such as statutes, at semicolons or commas. */
function splitIntoClauses(sentence: string, separator = /(?<=;) /): string[] {
  if (sentence.length <= MAX_SENTENCE_LENGTH) return [sentence];
  const clauses: string[] = [];
  let pending = '';
  for (const clause of sentence.split(separator)) {
    if (pending && pending.length + clause.length > MAX_SENTENCE_LENGTH / 2) {
      clauses.push(pending);
      pending = clause;
    } else pending = pending ? `${pending} ${clause}` : clause;
  }
  return pending ? [...clauses, pending] : clauses;
}

export function splitIntoSentences(paragraph: string): string[] {
  const text = paragraph.replace(/\s+/g, ' ').trim();
  const sentences: string[] = [];
  let start = 0;
  let index = 0;
  while (index < text.length) {
    if (!'.!?…'.includes(text[index] ?? ' ')) {
      index += 1;
      continue;
    }
    const next = findEndOfStops(text, index);
    if (isSentenceEnd(text, start, index, next)) {
      sentences.push(text.slice(start, next).trim());
      start = next;
    }
    index = next;
  }
  if (start < text.length) sentences.push(text.slice(start).trim());
  return sentences
    .filter(Boolean)
    .flatMap(sentence => splitIntoClauses(sentence))
    .flatMap(clause => splitIntoClauses(clause, /(?<=,) /));
}
