import { cpfOf, readDigits } from '../../../text/contact.ts';
import type { Figure } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { findEmails } from '../../../text/find-emails.ts';
import { foldInPlace, foldWithPlaces } from '../../../text/fold-in-place.ts';
import { isLongerThan } from '../../../text/lines.ts';
import { e164Of, readPhone } from '../../../text/phone.ts';
import { digitsFromWords } from '../../../text/spelled-digits.ts';
import { readChoice } from './read-choice.ts';
import { readDate } from './read-date.ts';
import { type Choice, type SaidValue, saysNoMore } from './said-value.ts';

export const askKinds = ['text', 'number', 'date', 'cpf', 'email', 'phone', 'choice'] as const;
export type AskKind = (typeof askKinds)[number];

export interface Wanted {
  readonly kind: AskKind;
  readonly choices: readonly Choice[];
}

/** A longer message has a value of no kind but text. */
const MAX_READ = 500;
/** Of a free text, this much is kept. */
const MAX_KEPT = 2_000;

/** `today` is a local time in milliseconds, as if in UTC. */
export function readValue(message: string, { kind, choices }: Wanted, today: number): SaidValue | undefined {
  const text = message.trim();
  if (kind === 'text')
    return text === '' ? undefined : { value: text.slice(0, MAX_KEPT).toWellFormed(), isAll: true };
  if (isLongerThan(MAX_READ, text)) return undefined;
  switch (kind) {
    case 'number':
      return readNumber(text);
    case 'date':
      return readDate(text, today);
    case 'cpf':
      return readCpf(text);
    case 'email':
      return readEmail(text);
    case 'phone':
      return readPhoneNumber(text);
    case 'choice':
      return readChoice(text, choices);
  }
}

/** A number that is written alone, or the only one of a sentence, also in words. */
function readNumber(text: string): SaidValue | undefined {
  const folded = foldInPlace(text);
  const plain = /^[-+]?\d{1,15}$/.exec(folded)?.[0];
  if (plain !== undefined) return { value: Number(plain), isAll: true };
  if (/^(?:nenhuma?|zero)$/.test(folded)) return { value: 0, isAll: true };
  const numbers = findFigures(folded).figures.flatMap(figure => {
    const value = valueOf(figure);
    return value === undefined ? [] : [{ value, figure }];
  });
  const [first, second] = numbers;
  if (!first || second) return undefined;
  const { start, end } = first.figure;
  const isNegative = /(?:^|\s)(?:-|menos )\s?$/.test(folded.slice(0, start));
  const isAll = saysNoMore(`${folded.slice(0, start)} ${folded.slice(end)}`.replace('menos', ''));
  // `um atendente` counts nothing.
  if (!isAll && !first.figure.isClaim) return undefined;
  return { value: isNegative ? -first.value : first.value, isAll };
}

function valueOf({ meanings }: Figure): number | undefined {
  for (const meaning of meanings) {
    if (meaning.type === 'count' || meaning.type === 'money' || meaning.type === 'percent')
      return meaning.value;
    if (meaning.type === 'quantity') return meaning.written ?? meaning.value;
    if (meaning.type === 'date' && meaning.day !== undefined && meaning.month === undefined)
      return meaning.day;
    if (meaning.type === 'code' && /^\d{1,15}$/.test(meaning.text)) return Number(meaning.text);
  }
  return undefined;
}

const CPF = /(?<!\d)\d{3}[\s.-]{0,3}\d{3}[\s.-]{0,3}\d{3}[\s.–-]{0,3}\d{2}(?!\d)/g;

/** The digits may be spelled in words. */
function readCpf(text: string): SaidValue | undefined {
  for (const [found] of text.matchAll(CPF)) {
    const value = cpfOf(found);
    if (value !== undefined) return { value, isAll: saysNoMore(text.replace(found, ' ')) };
  }
  const spelled = digitsFromWords(text);
  const value = cpfOf(readDigits(spelled));
  return value === undefined ? undefined : { value, isAll: saysNoMore(spelled.replaceAll(/\d/g, ' ')) };
}

function readEmail(text: string): SaidValue | undefined {
  const { text: folded } = foldWithPlaces(text);
  const [email, other] = findEmails(folded);
  if (!email || (other && other.key !== email.key)) return undefined;
  return {
    value: email.key,
    isAll: saysNoMore(`${folded.slice(0, email.start)} ${folded.slice(email.end)}`),
  };
}

const PHONE = /(?:\+|\(|\d)[\d\s().-]{6,24}\d/;

/** The number as it is dialled from abroad; one without an area code is none. */
function readPhoneNumber(text: string): SaidValue | undefined {
  const [written = ''] = PHONE.exec(text) ?? [];
  for (const each of [written, readDigits(digitsFromWords(text))]) {
    const value = e164Of(readPhone(each).phone);
    if (value !== '') return { value, isAll: saysNoMore(text.replace(written, ' ')) };
  }
  return undefined;
}
