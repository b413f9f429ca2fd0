import { type Token, tokenAt } from '../../../text/figures/tokens.ts';
import { isSpecific } from '../../../text/words.ts';
import type { StatedValue } from './value-classes.ts';

/*
 * What a sentence says of its subject may be a word: `o curso é a distância`, `as aulas são à noite`, `o seguro é opcional`. Before its noun's
 * verb the same word says which thing is meant, and states nothing: `o curso a distância custa R$ 259`.
 */

interface Attribute {
  readonly of: string;
  readonly names: readonly (readonly [value: string, words: RegExp])[];
  /** They need no verb that says it: `ensaia à tarde`. */
  readonly before?: RegExp;
}

const ATTRIBUTES: readonly Attribute[] = [
  {
    of: 'attribute mode',
    names: [
      ['presencial', /^presencia(?:l|is|lmente)$/],
      ['distance', /^(?:distancia|ead|online|line|remot[oa]s?|remotamente|virtua(?:l|is|lmente))$/],
      ['distance', /^(?:internet|videoconferencia|videochamada|meet|teams|zoom)$/],
      ['hybrid', /^(?:hibrid[oa]s?|semipresencia(?:l|is))$/],
    ],
    before: /^(?:via|pel[oa]|por)$/,
  },
  {
    of: 'attribute shift',
    names: [
      ['morning', /^(?:manhas?|matutin[oa]s?)$/],
      ['afternoon', /^(?:tardes?|vespertin[oa]s?)$/],
      ['night', /^(?:noites?|noturn[oa]s?)$/],
    ],
    before: /^(?:a|as|de|pela|pelas)$/,
  },
  {
    of: 'attribute duty',
    names: [
      ['bound', /^(?:obrigatori[oa]s?|obrigatoriamente|necessari[oa]s?|imprescindive(?:l|is))$/],
      ['free', /^(?:opciona(?:l|is)|facultativ[oa]s?|optativ[oa]s?|eletiv[oa]s?|voluntari[oa]s?)$/],
      ['free', /^(?:desnecessari[oa]s?|dispensave(?:l|is))$/],
    ],
  },
];

const FILLERS =
  /^(?:a|o|as|os|um|uma|de|do|da|na|no|em|on|-|%|100|so|somente|apenas|totalmente|sempre|inteiramente|modalidade|modo|forma|formato|regime|turno|periodo|horario|carater|uso|preenchimento|disciplina|curso|aulas?)$/;
const SAYS =
  /^(?:sao|sera|serao|ser|foi|fica|ficam|continua|continuam|tem|conta|(?:oferecid|ministrad|realizad|aplicad|feit|cumprid|transmitid|dad|ofertad)[oa]s?|(?:ocorre|acontece|funciona|atende|abre)(?:m|ra|rao)?)$/;
const INTRODUCED = /^(?:modalidade|modo|forma|formato|turno|periodo)$/;
const GOES_ON =
  /^(?:e|ou|na|no|nas|nos|em|para|por|pelo|pela|com|de|do|da|dos|das|a|as|ao|desde|ate|durante)$/;
const DENIES = /^(?:nao|nem|sem|nunca)$/;
/** It is so beside something else. */
const BESIDE =
  /^(?:tambem|inclusive|pode|podem|podera|poderao|geralmente|normalmente|eventualmente|preferencialmente)$/;
const MAX_BACK = 6;

/** Reads them behind the subject and at the end of what is said; `text` has the accents that tell `é` from `e`. */
export function readAttributes(text: string, tokens: readonly Token[]): StatedValue[] {
  const found: StatedValue[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'word') continue;
    for (const { of, names, before } of ATTRIBUTES) {
      const value = names.find(([, words]) => words.test(token.text))?.[0];
      if (!value || !isEnd(tokenAt(tokens, at + 1))) continue;
      const isAlso = tokenAt(tokens, at - 1).text === 'e' && found.some(each => each.of === of);
      if (isAlso || isSaid(text, tokens, at, before))
        found.push({ of, value, at, from: token.start, to: token.end });
    }
  }
  return found;
}

function isEnd({ type, text }: Token): boolean {
  return (type === 'sign' && text !== '-') || GOES_ON.test(text);
}

function isSaid(text: string, tokens: readonly Token[], at: number, before: RegExp | undefined): boolean {
  if (tokens.slice(Math.max(0, at - MAX_BACK), at).some(each => BESIDE.test(each.text))) return false;
  const own = tokenAt(tokens, at);
  let isSo = own.text.endsWith('mente') || before?.test(tokenAt(tokens, at - 1).text) === true;
  for (let back = at - 1; back >= Math.max(0, at - MAX_BACK); back -= 1) {
    const token = tokenAt(tokens, back);
    if (DENIES.test(token.text)) return false;
    const isVerb = SAYS.test(token.text) || /[éÉ]/.test(text.charAt(token.start));
    if (isVerb && (token.text === 'e' || SAYS.test(token.text))) return hasSubject(tokens, back);
    if (INTRODUCED.test(token.text)) isSo = true;
    if (!FILLERS.test(token.text)) return isSo && hasSubject(tokens, at - 1);
  }
  return false;
}

/** A frame has none before it: `Na modalidade presencial, o curso custa R$ 900`. */
function hasSubject(tokens: readonly Token[], upTo: number): boolean {
  return tokens
    .slice(0, upTo + 1)
    .some(({ type, text }) => type === 'word' && isSpecific(text) && !FILLERS.test(text) && !SAYS.test(text));
}
