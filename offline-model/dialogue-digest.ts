import { stemsOf } from '../text/answers/statements.ts';
import { CPF_IN_TEXT, PHONE_IN_TEXT } from '../text/contact.ts';
import { foldText } from '../text/fold.ts';
import { splitIntoSentences } from '../text/sentences.ts';
import type { Message } from './chat-request.ts';

/** Words of the dialogue that fill a form or an insight. */
export interface DialogueDigest {
  readonly text: string;
  readonly summary: string;
  /** Most frequent words first. */
  readonly topics: readonly string[];
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly cpf: string | undefined;
}

/** In characters, counted from the end; bounds the work. */
const MAX_LENGTH = 40_000;
const SUMMARY_SENTENCES = 2;
const MAX_TOPICS = 10;
const SPEAKER =
  /^\s*[*_]*(?:user|assistant|human|usu[aá]rio|cliente|assistente|aluno|atendente)[*_]*\s*[:>-]\s*/i;
const NAME =
  /(?:[Mm]eu nome [eé]|[Mm]e chamo|[Aa]qui [eé] [ao]|[Ss]ou [ao]) (\p{Lu}\p{Ll}+(?: (?:d[aeo]s? )?\p{Lu}\p{Ll}+){0,3})/u;
const EMAIL = /\[email_\d+\]|[a-z0-9._-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}/;

export function digestDialogue(messages: readonly Message[]): DialogueDigest {
  const spoken = messages.filter(({ role, text }) => (role === 'user' || role === 'assistant') && text);
  const lines = (spoken.length > 0 ? spoken : messages.slice(-1))
    .map(({ text }) => text)
    .join('\n')
    .slice(-MAX_LENGTH)
    .split('\n')
    .map(line => line.replace(SPEAKER, '').trim())
    .filter(Boolean);
  const text = lines.join('\n');
  return {
    text,
    summary: lines.flatMap(splitIntoSentences).slice(0, SUMMARY_SENTENCES).join(' '),
    topics: topicsOf(text),
    name: NAME.exec(text)?.[1],
    // Masked data has a token instead.
    email: EMAIL.exec(foldText(text))?.[0],
    phone: (/\[TELEFONE_\d+\]/.exec(text) ?? text.match(PHONE_IN_TEXT))?.[0],
    cpf: (/\[CPF_\d+\]/.exec(text) ?? text.match(CPF_IN_TEXT))?.[0],
  };
}

function topicsOf(text: string): string[] {
  const [words, counts] = [new Map<string, string>(), new Map<string, number>()];
  for (const word of text.match(/[\p{L}-]{3,}/gu) ?? []) {
    const [stem] = stemsOf(word);
    if (stem === undefined) continue;
    if (!words.has(stem)) words.set(stem, word.toLowerCase());
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  const byCount = [...words].toSorted(([a], [b]) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  return byCount.slice(0, MAX_TOPICS).map(([, word]) => word);
}

/** Says whether the field is personal data that any text may hold, and gives its value in the dialogue. */
export function personalValue(
  field: string,
  { email, phone, cpf, name }: DialogueDigest,
): [isKnown: boolean, value: string | undefined] {
  const folded = foldText(field);
  if (/mail/.test(folded)) return [true, email];
  if (/phone|telefone|celular|whatsapp/.test(folded)) return [true, phone];
  if (/(^|_)cpf(_|$)/.test(folded)) return [true, cpf];
  return [false, /(^|_)(?:name|firstname|lastname)$|nome/.test(folded) ? name : undefined];
}
