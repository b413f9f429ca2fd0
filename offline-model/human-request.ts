import { toComparableText } from './extraction/words.ts';

/** Characters, counted from the end: people often put the request last. */
const MAX_REQUEST_LENGTH = 400;

const helperWords =
  '(?:atendentes?|humanos?|humana|atendimento humano|operador(?:a|es)?|consultor(?:a|es)?|funcionari[oa]s?|alguem|gente)';
const personWords = `(?:${helperWords}|pessoas?(?: (?:de verdade|real|reais|humana|da equipe|do atendimento))?)`;
const contactVerbs =
  '(?:falar|conversar|atendid[oa]|atendimento|transfer\\w{1,8}|passa\\w{0,4}|passe|chama\\w{0,4}|chame|encaminh\\w{1,6}|coloc\\w{1,6}|contato|fala|falo|atend\\w{1,6})';
const wishVerbs =
  '(?:quero|queria|preciso|gostaria|prefiro|posso|pode|poderia|podem|consigo|como|deixa|deixe|tem como|da pra|por favor)';

// Bounded, so that no message causes backtracking.
const otherWords = '(?: [a-z]{1,12}){0,4}?';

const requestPatterns = [
  new RegExp(`\\b${wishVerbs}${otherWords} ${contactVerbs}${otherWords} ${personWords}\\b`),
  new RegExp(
    `\\b(?:me )?(?:transfer\\w{1,8}|passa|passe|chama|chame|encaminh\\w{1,6})${otherWords} ${personWords}\\b`,
  ),
  new RegExp(
    `\\b(?:quero|queria|preciso de|prefiro)(?: d[eo])?(?: um| uma)? (?:atendente|humano|atendimento humano|pessoa de verdade)\\b`,
  ),
  new RegExp(`^(?:falar|conversar) com${otherWords} ${personWords}\\b`),
  /\btem (?:algum|alguma|alguem)(?: atendente| pessoa| humano)? (?:ai|disponivel|online|que (?:possa|pode))\b/,
  /^(?:um |uma )?(?:atendente|humano|atendimento humano)(?: por favor| pf)?$/,
];

const refusalPattern = /\bnao (?:quero|preciso|queria)\b/;
// "qual pessoa", "quem é a pessoa", "falar com alguém sobre …" ask who is responsible for something.
const inquiryPattern =
  /\b(?:qual|quais|quem|que) (?:e |eh |sao )?(?:[ao]s? )?(?:pessoas?|atendentes?|funcionari[oa]s?|consultor(?:a|es)?)\b/;

/** Whether the user clearly asks for a person instead of the assistant. */
export function asksForPerson(message: string): boolean {
  const text = toComparableText(message.slice(-MAX_REQUEST_LENGTH))
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  if (refusalPattern.test(text) || inquiryPattern.test(text)) return false;
  return requestPatterns.some(pattern => pattern.test(text));
}
