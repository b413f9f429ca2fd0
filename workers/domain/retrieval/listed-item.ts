import { foldText } from '../../../text/fold.ts';
import { wordsOf } from '../../../text/words.ts';

const ordinals: readonly (readonly string[])[] = ['primeir', 'segund', 'terceir', 'quart', 'quint'].map(
  stem => [`${stem}o`, `${stem}a`],
);
const last = ['ultimo', 'ultima'];
/** Words after which it is a day of the week. */
const ofDays = new Set('na de ate toda'.split(' '));
/** Nouns with which it is a name or counts something else: "segunda chamada". */
const ofNames = new Set(
  'feira chamada via semestre periodo parcela dose vez ano dia mes turma grau graduacao fase etapa mao aula instancia'.split(
    ' ',
  ),
);
const MAX_CHARACTERS = 2_000;
const MAX_ITEM = 120;

/**
 * The question with the item of the assistant's list in place of "o segundo"; undefined where none is meant. "Na
 * segunda" is a day, and "a segunda chamada" a name.
 */
export function nameListedItem(question: string, lastAnswer: string): string | undefined {
  if (question.length > MAX_CHARACTERS) return undefined;
  const items = itemsOf(lastAnswer.slice(0, MAX_CHARACTERS));
  if (items.length < 2) return undefined;
  const pieces = question.split(/(?<=\p{L})(?!\p{L})/u);
  for (const [at, piece] of pieces.entries()) {
    const [word = ''] = wordsOf(foldText(piece)).slice(-1);
    const place = ordinals.findIndex(forms => forms.includes(word));
    const item = last.includes(word) ? items.at(-1) : items[place];
    const [next = ''] = wordsOf(foldText(pieces[at + 1] ?? ''));
    const [before = ''] = wordsOf(foldText(pieces[at - 1] ?? '')).slice(-1);
    if (!item || ofNames.has(next) || (place > 0 && ofDays.has(before))) continue;
    return [...pieces.slice(0, at), ` ${item}`, ...pieces.slice(at + 1)].join('');
  }
  return undefined;
}

const marker = /(?:^|[\s;:,])(?:\d{1,2}[.)ºª-]|[-•*])\s+/;

/** The items of a numbered list or one with bullets, also within a line. */
function itemsOf(answer: string): string[] {
  const [, ...items] = answer.split(marker);
  return items.map(item => item.split('\n')[0]?.trim().slice(0, MAX_ITEM) ?? '').filter(Boolean);
}
