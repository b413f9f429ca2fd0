import { foldText } from '../../../text/fold.ts';
import { wordsOf } from '../../../text/words.ts';

export interface Sentiment {
  /** -1 to 1. */
  readonly score: number;
  readonly explanation: string;
}

export const BY_RULES = 'Estimado por regras, sem modelo de linguagem';

const GLAD =
  'obrigad agradec otim excelent perfeit maravilh gostei adorei amei legal show parabens feliz satisfeit ajudou resolveu resolvid top';
const CROSS =
  'pessim horriv ruim absurd reclam insatisfeit decepcion demor irritad raiva odei descaso vergonh procon processar cansad enrol mentir cancelar problema erro errad dificil nunca ninguem';
const NOT = new Set(['nao', 'nem', 'nada', 'pouco']);
/** A negation inverts this many following words. */
const REACH = 2;

const begins = (list: string) => {
  const beginnings = list.split(' ');
  return (word: string) => beginnings.some(begin => word.startsWith(begin));
};
const isGlad = begins(GLAD);
const isCross = begins(CROSS);

export function sentimentOf(texts: readonly string[]): Sentiment {
  const glad: string[] = [];
  const cross: string[] = [];
  for (const text of texts) {
    const words = wordsOf(foldText(text));
    for (const [at, word] of words.entries()) {
      const isTurned = words.slice(Math.max(0, at - REACH), at).some(before => NOT.has(before));
      if (isGlad(word)) (isTurned ? cross : glad).push(isTurned ? `não ${word}` : word);
      else if (isCross(word) && !isTurned) cross.push(word);
    }
  }
  const score = (glad.length - cross.length) / (glad.length + cross.length + 1);
  return { score: Math.round(score * 100) / 100, explanation: explanationOf(glad, cross) };
}

function explanationOf(glad: readonly string[], cross: readonly string[]): string {
  const reasons = [
    ...(glad.length > 0 ? [`palavras de agrado (${listWords(glad)})`] : []),
    ...(cross.length > 0 ? [`palavras de desagrado (${listWords(cross)})`] : []),
  ];
  return `${BY_RULES}: ${reasons.join(' e ') || 'nenhuma palavra de agrado ou desagrado'}.`;
}

function listWords(words: readonly string[]): string {
  return [...new Set(words)].slice(0, 5).join(', ');
}
