import { foldText } from '../../../text/fold.ts';
import { synonymsOf } from '../../../text/synonyms.ts';
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

/** The stems of what a question asks for, each once; synonyms have one stem. Without figures: a person's number is no topic. */
export function questionWordsOf(question: string): string[] {
  const words = wordsOf(foldText(question.slice(0, MAX_CHARACTERS)));
  const stems = words
    .filter(word => word.length > 1 && isSpecific(word) && !wrapping.has(word) && !/\d{3}/.test(word))
    .map(canonicalOf);
  return [...new Set(stems)].slice(0, MAX_WORDS);
}

function canonicalOf(word: string): string {
  const [first = word] = [word, ...synonymsOf(word)].toSorted();
  return stemOf(first);
}

const interrogative =
  /\b(?:quanto|quantos|quanta|quantas|quando|onde|aonde|qual|quais|quem|como|porque|por que|que horas?|o que|posso|tem como|existe|aceitam?|how|what|when|where|which|who)\b/;

/** Whether a message asks something: what people write to a staff member is often no question. */
export function isQuestion(message: string): boolean {
  const start = message.slice(0, MAX_CHARACTERS);
  return start.includes('?') || interrogative.test(foldText(start));
}
