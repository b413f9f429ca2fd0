import { foldText } from '../fold.ts';

/** In characters, counted from the end: people often put the request last. */
const MAX_LENGTH = 400;
/** Up to four words in between: bounded, so that no message causes backtracking. */
const BETWEEN = '(?: [a-z]{1,12}){0,4}?';
const WISH =
  '(?:quero|queria|preciso|gostaria|prefiro|posso|pode|poderia|consigo|como|deixa|tem como|da pra|por favor|quiero|necesito)';
const CONTACT =
  '(?:falar|hablar|conversar|atendid[oa]|atendimento|transfer\\w{1,8}|passa\\w{0,4}|passe|chama\\w{0,4}|chame|encaminh\\w{1,6}|contato|atend\\w{1,6})';
const PERSON =
  '(?:atendentes?|human[oa]s?|operador(?:a|es)?|consultor(?:a|es)?|funcionari[oa]s?|alguem|gente|pessoas?|personas?)';
const requests = [
  `\\b${WISH}${BETWEEN} ${CONTACT}${BETWEEN} ${PERSON}\\b`,
  `\\b(?:transfer\\w{1,8}|passa|passe|chama|chame|encaminh\\w{1,6})${BETWEEN} ${PERSON}\\b`,
  '\\b(?:quero|queria|preciso de|prefiro)(?: d[eo])?(?: uma?)? (?:atendente|humano|atendimento humano|pessoa de verdade)\\b',
  `^(?:falar|conversar) com${BETWEEN} ${PERSON}\\b`,
  '\\btem (?:algum|alguma|alguem)(?: atendente| pessoa| humano)? (?:ai|disponivel|online|que (?:possa|pode))\\b',
  '^(?:uma? )?(?:atendente|humano|atendimento humano)(?: por favor| pf)?$',
].map(pattern => new RegExp(pattern));
/** Rules out "Qual pessoa" and "quem é a pessoa", which ask who is responsible for something, and "não quero falar". */
const OTHER = new RegExp(
  `\\bnao (?:quero|preciso|queria)\\b|\\b(?:qual|quais|quem|que) (?:e |eh |sao )?(?:[ao]s? )?${PERSON}\\b`,
);

/** Whether the user clearly asks for a person instead of the assistant. */
export function asksForPerson(message: string): boolean {
  const text = foldText(message.slice(-MAX_LENGTH))
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  return !OTHER.test(text) && requests.some(pattern => pattern.test(text));
}
