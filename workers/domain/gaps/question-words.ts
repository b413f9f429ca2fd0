import { foldText } from '../../../text/fold.ts';
import { synonymsOf } from '../../../text/synonyms.ts';
import { foldTyped } from '../../../text/typed-words.ts';
import { isSpecific, stemOf, wordsOf } from '../../../text/words.ts';

const MAX_CHARACTERS = 2_000;
const MAX_WORDS = 24;

/** Words in which questions are wrapped: they say nothing about what is asked. */
const wrapping = new Set(
  (
    'quero queria gostaria preciso precisa poderia pode podem posso podemos saber saberia sabe dizer diga informar informe informa informacao ' +
    'informacoes explicar explica ajudar duvida pergunta faco faz fazer fica ficam devo deve existe funciona ver consigo conseguir seriam ' +
    'vou ir vai vao dia tarde noite alguem gente agora hoje porque assim'
  ).split(' '),
);

/** Returns a question's stems, each once; synonyms have one stem. Figures are left out: a person's number is no topic. */
export function questionWordsOf(question: string): string[] {
  const words = wordsOf(foldText(question.slice(0, MAX_CHARACTERS)));
  const stems = words
    .filter(word => word.length > 1 && isSpecific(word) && !wrapping.has(word) && !/\d{3}/.test(word))
    .map(canonicalOf);
  return [...new Set(stems)].slice(0, MAX_WORDS);
}

function canonicalOf(word: string): string {
  const [first = word] = [word, ...synonymsOf(word).map(other => other.word)].toSorted();
  return stemOf(first);
}

const interrogative =
  /\b(?:quanto|quantos|quanta|quantas|quando|onde|aonde|qual|quais|quem|como|porque|por que|que horas?|o que|posso|tem como|existe|aceitam?|how|what|when|where|which|who)\b/;

/** Whether a message asks something: many messages to a staff member do not. */
export function isQuestion(message: string): boolean {
  const start = message.slice(0, MAX_CHARACTERS);
  return start.includes('?') || interrogative.test(foldTyped(start));
}

interface SuggestionCandidate {
  readonly content: string;
  /** The words of the question that it follows. */
  readonly words: readonly string[];
}

const MAX_SUGGESTION = 8_000;
/** A greeting has fewer words. */
const MIN_WORDS = 3;

/**
 * Returns the message that answers its question best, which shares most of its words; the first of several. None if all are as
 * short as a greeting.
 */
export function chooseSuggestion<T extends SuggestionCandidate>(messages: readonly T[]): T | undefined {
  let best: { readonly message: T; readonly score: number } | undefined;
  for (const message of messages) {
    const { content, words } = message;
    if (content.length > MAX_SUGGESTION) continue;
    const own = new Set(questionWordsOf(content));
    if (own.size < MIN_WORDS) continue;
    const score = words.filter(word => own.has(word)).length / Math.max(words.length, 1);
    if (score > (best?.score ?? -1)) best = { message, score };
  }
  return best?.message;
}
