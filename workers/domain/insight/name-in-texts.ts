import { foldText } from '../../../text/fold.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { isSpecific } from '../../../text/words.ts';

/**
 * Phrases that introduce a name. The grouped ones may introduce something else (`sou o responsável`), so a capital
 * must follow.
 */
const introduction =
  /\b(?:meu nome (?:completo )?[eé]|me chamo|(aqui [eé] [ao]|sou [ao])) (\p{L}[^\n.,;:!?()]{0,80})/giu;
const capital = /^\p{Lu}/u;
const particle = /^(?:d[aeo]s?|e)$/;
const MAX_LENGTH = 80;
const MAX_WORDS = 5;

/** The last name that the end user gave; '' if none. */
export function nameIn(texts: readonly string[]): string {
  for (const text of texts.toReversed()) {
    for (const [, isVague, rest = ''] of [...text.matchAll(introduction)].toReversed()) {
      const name = nameAtHeadOf(rest, isVague !== undefined);
      if (name !== '') return name;
    }
  }
  return '';
}

/** Capitals delimit the name; without them it is the first word, or all words if nothing else follows. */
function nameAtHeadOf(rest: string, mustHaveCapital: boolean): string {
  const words = oneLineOf(rest, MAX_LENGTH).split(' ');
  const [first = ''] = words;
  if (!isSpecific(foldText(first)) || !/^[\p{L}'’-]{2,}$/u.test(first)) return '';
  if (!capital.test(first))
    return mustHaveCapital ? '' : capitalizeWords(isNameAlone(words) ? words : [first]);
  const end = words.findIndex(
    (word, at) => !capital.test(word) && !(particle.test(word) && capital.test(words[at + 1] ?? '')),
  );
  return words.slice(0, end < 0 ? MAX_WORDS : Math.min(end, MAX_WORDS)).join(' ');
}

function isNameAlone(words: readonly string[]): boolean {
  return (
    words.length <= 3 && words.every(word => /^[\p{L}'’-]{2,}$/u.test(word) && isSpecific(foldText(word)))
  );
}

function capitalizeWords(words: readonly string[]): string {
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
