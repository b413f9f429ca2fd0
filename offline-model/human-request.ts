import { toComparableText } from './extraction/words.ts';

const person =
  '(?:atendentes?|humanos?|humana|atendimento humano|operador(?:a|es)?|consultor(?:a|es)?|funcionari[oa]s?|alguem|gente)';
const someone = `(?:${person}|pessoas?(?: (?:de verdade|real|reais|humana|da equipe|do atendimento))?)`;
const reach =
  '(?:falar|conversar|atendid[oa]|atendimento|transfer\\w{1,8}|passa\\w{0,4}|passe|chama\\w{0,4}|chame|encaminh\\w{1,6}|coloc\\w{1,6}|contato|fala|falo|atend\\w{1,6})';
const wish =
  '(?:quero|queria|preciso|gostaria|prefiro|posso|pode|poderia|podem|consigo|como|deixa|deixe|tem como|da pra|por favor)';

// Bounded, so that no message causes backtracking.
const between = '(?: [a-z]{1,12}){0,4}?';

const requests = [
  new RegExp(`\\b${wish}${between} ${reach}${between} ${someone}\\b`),
  new RegExp(
    `\\b(?:me )?(?:transfer\\w{1,8}|passa|passe|chama|chame|encaminh\\w{1,6})${between} ${someone}\\b`,
  ),
  new RegExp(
    `\\b(?:quero|queria|preciso de|prefiro)(?: d[eo])?(?: um| uma)? (?:atendente|humano|atendimento humano|pessoa de verdade)\\b`,
  ),
  new RegExp(`^(?:falar|conversar) com${between} ${someone}\\b`),
  /\btem (?:algum|alguma|alguem)(?: atendente| pessoa| humano)? (?:ai|disponivel|online|que (?:possa|pode))\b/,
  /^(?:um |uma )?(?:atendente|humano|atendimento humano)(?: por favor| pf)?$/,
];

const refusals = /\bnao (?:quero|preciso|queria)\b/;
// "qual pessoa", "quem é a pessoa", "falar com alguém sobre …" ask who is responsible for something.
const inquiries =
  /\b(?:qual|quais|quem|que) (?:e |eh |sao )?(?:[ao]s? )?(?:pessoas?|atendentes?|funcionari[oa]s?|consultor(?:a|es)?)\b/;

/** Whether the user clearly asks for a person instead of the assistant. */
export function asksForPerson(message: string): boolean {
  const text = toComparableText(message.slice(-400))
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  if (refusals.test(text) || inquiries.test(text)) return false;
  return requests.some(request => request.test(text));
}
