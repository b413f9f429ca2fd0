import { foldInPlace } from '../fold-in-place.ts';
import { splitSentences } from '../sentences.ts';
import { wordsOf } from '../words.ts';

/*
 * People say who they are beside their question, "meu CPF é 123.456.789-09, qual o prazo?", and tell a story around it. Who they are
 * stands in no text that answers, and each of its words would be missed there. The story is read as a message sent before.
 */

const ASKING =
  'qua(?:l|is)|quant[oa]s?|qto|quando|qdo|onde|quem|como|posso|podem?|quer(?:o|ia)|gostaria|preciso|solicito|saber|dúvidas?|duvidas?';
/** Words that end a name. */
const NEXT = `(?:${ASKING}|e|que|por|meu|minha|tenho|tem|sou|estou|não|nao)(?!\\p{L})`;
const LABEL =
  '(?:cpf|rg|ra|cep|tel(?:efone)?|cel(?:ular)?|whats(?:app)?|zap|e-?mail|contato|registro(?: acad[eê]mico)?|matr[ií]cula)';
/** An address, the token of one, or six digits: `2026.1` has five. */
const DATUM =
  '(?:\\[[a-z]{2,12}_[0-9]{1,4}\\]|[^\\s@,;]{1,64}@[^\\s@,;!?]{1,80}|[+(]{0,2}(?:[0-9][.() -]{0,2}){5,20}[0-9](?:-?x)?)';
/** It is asked about: `o CPF 123… do reitor`, `telefone 123… é da secretaria?`. */
const [OF_THING, IS_THING] = [
  '(?<!\\p{L})(?<!(?<!\\p{L})(?:[oa]|[dn][oa]|ao|qual|ess[ea]|est[ea]) )',
  '(?![.() -]{0,2}[0-9]| ?(?:é|eh|(?:e )?d[aeo]) )',
];
const DATA = new RegExp(
  `${OF_THING}(?:(?:e )?(?:o |a )?(?:meu|minha) )?${LABEL}(?: ?[:=-]| (?:é|eh?)(?!\\p{L}))? ?(?:o |a )?(?:n[uú]mero )?${DATUM}${IS_THING}`,
  'giu',
);
const WORD = `(?!(?:${NEXT}|(?:n[oa]s?|foi|est[aáã]o?) ))\\p{L}{2,30}(?!\\p{L})`;
const NAME = new RegExp(
  `(?<!\\p{L})(?:(?:(?:o )?meu nome(?: completo)? (?:é|eh?)|nome(?: completo)?:|me chamo) ${WORD}(?: ${WORD}){0,4}|aqui (?:é|eh?) [oa] (?:(?!d[aeo]s? )${WORD} ?){1,3})(?= ?(?:[,.;!\\n]|$|${NEXT}|${LABEL}(?!\\p{L})))`,
  'giu',
);
const SIGNS = /[\s,.;:!?-]{2,}/g;
const OUTER_SIGNS = /^[\s,.;:!-]+(?:e )?|[\s,;:-]{1,9}$/gi;

/** The search reads as many words. */
const MANY_WORDS = 32;
/** What is asked ends with its sentence. Of what is told as much is read, which stands directly before, or behind it. */
const [MOST_ASKED, MOST_TOLD] = [20, 12];
const ASKS = new RegExp(`^(?:${ASKING})(?![a-z])`);

/**
 * The message without who writes it. A long one in two: what it tells, and last what it asks, which are the words before a question
 * mark and those after a word that asks.
 */
export function saidPartsOf(message: string): readonly string[] {
  const text = withoutPerson(message);
  if (wordsOf(foldInPlace(text)).length <= MANY_WORDS) return [text];
  const [before, asked, after]: [string[], string[], string[]] = [[], [], []];
  for (const { from, to } of splitSentences(text)) {
    const words = text.slice(from, to).split(/\s+/);
    const last = words.at(-1)?.endsWith('?') ? words.length - MOST_ASKED : words.length;
    let end = 0;
    for (const [at, word] of words.entries()) {
      if (ASKS.test(foldInPlace(word))) end = at + MOST_ASKED;
      const told = asked.length === 0 ? before : after;
      (at < end || at >= last ? asked : told).push(word);
    }
  }
  if (asked.length === 0) return [text];
  const told = before.length > 0 ? before.slice(-MOST_TOLD) : after.slice(0, MOST_TOLD);
  return [told, asked].filter(({ length }) => length > 0).map(words => words.join(' '));
}

function withoutPerson(message: string): string {
  const text = message.replaceAll(NAME, ', ').replaceAll(DATA, ', ');
  if (text === message) return message;
  const joined = text.replaceAll(SIGNS, run => {
    const sign = ['?', '.', '!', '\n', ','].find(each => run.includes(each));
    return sign ? `${sign} ` : run;
  });
  return joined.replaceAll(OUTER_SIGNS, '') || message;
}
