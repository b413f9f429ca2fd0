import crc16ccitt from 'crc/crc16ccitt';
import fc from 'fast-check';
import type { IdentifierKind } from '../../text/identifier.ts';
import { boletoOf } from './boleto.ts';

/** An identifier of nobody, as somebody writes it. */
export interface IdentifierSample {
  readonly kind: IdentifierKind;
  readonly written: string;
  /** In one spelling. */
  readonly plain: string;
}

const digits = (length: number) =>
  fc.array(fc.nat(9), { minLength: length, maxLength: length }).map(each => each.join(''));
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);

function checkDigit(text: string, weights: (at: number) => number): number {
  const sum = Array.from(text)
    .toReversed()
    .reduce((total, digit, at) => total + (digit.charCodeAt(0) - 48) * weights(at), 0);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}

function withChecks(text: string, weights: (at: number) => number): string {
  const first = `${text}${checkDigit(text, weights)}`;
  return `${first}${checkDigit(first, weights)}`;
}

const isVaried = (text: string) => new Set(text).size > 1;
const group = (pattern: RegExp, form: string) => (text: string) => text.replace(pattern, form);

const cpf = digits(9)
  .filter(isVaried)
  .map(nine => withChecks(nine, at => at + 2));
const cpfForms = [
  (text: string) => text,
  group(/^(...)(...)(...)/, '$1.$2.$3-'),
  group(/^(...)(...)(...)/, '$1 $2 $3 '),
  group(/^(...)(...)(...)/, '$1-$2-$3-'),
  group(/^(...)(...)(...)/, '$1\\.$2\\.$3\\-'),
  (text: string) => Array.from(text).join(' '),
];
const cnpj = fc
  .tuple(digits(8), oneOf('0001', '0002', '01AB'))
  .map(([root, branch]) => withChecks(`${root}${branch}`, at => 2 + (at % 8)));
const cnpjForms = [(text: string) => text, group(/^(..)(...)(...)(....)/, '$1.$2.$3/$4-')];
const area = oneOf('11', '21', '31', '48', '55', '61', '71', '85', '92', '99');
const mobile = fc.tuple(area, digits(8)).map(([code, eight]) => `${code}9${eight}`);
const landline = fc
  .tuple(area, fc.integer({ min: 2, max: 5 }), digits(7))
  .map(([code, first, seven]) => `${code}${first}${seven}`);
const phoneForms = [
  (text: string) => text,
  group(/^(..)(.+)(....)$/, '($1) $2-$3'),
  group(/^(..)(.+)(....)$/, '($1)$2$3'),
  group(/^(..)(.+)(....)$/, '$1 $2 $3'),
  group(/^(..)(.+)(....)$/, '+55 $1 $2-$3'),
  group(/^(..)(.+)(....)$/, '+55 ($1) $2-$3'),
  group(/^(..)(.+)(....)$/, '55$1$2$3'),
  group(/^(..)(.+)(....)$/, '+55$1$2$3'),
  group(/^(..)(.+)(....)$/, '0$1 $2.$3'),
  group(/^(..)(.+)(....)$/, '$1-$2-$3'),
  (text: string) => Array.from(text).join(' '),
];
const local = digits(8).map(eight => `9${eight}`);
const localForms = [(text: string) => text, group(/^(.....)/, '$1-'), group(/^(.)(....)/, '$1 $2-')];
const postalCode = digits(8);
const postalForms = [
  (text: string) => text,
  group(/^(.....)/, '$1-'),
  group(/^(..)(...)/, '$1.$2-'),
  group(/^(.....)/, '$1 '),
];
const card = digits(14).map(rest => {
  const start = `4${rest}`;
  const check = Array.from({ length: 10 }, (_, last) => `${start}${last}`).find(holdsLuhn);
  return check ?? '';
});
const cardForms = [
  (text: string) => text,
  group(/^(....)(....)(....)/, '$1 $2 $3 '),
  group(/^(....)(....)(....)/, '$1-$2-$3-'),
];
const boleto = fc.nat(1_000_000_000).map(boletoOf);
const boletoForms = [
  (text: string) => text,
  group(/^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)/, '$1.$2 $3.$4 $5.$6 $7 '),
];
const name = fc
  .array(oneOf(...'abcdefghijklmnopqrstuvwxyz0123456789._+-'.split('')), { minLength: 1, maxLength: 12 })
  .map(letters => `q${letters.join('')}z`);
const email = fc
  .tuple(name, oneOf('gmail.com', 'usp.br', 'empresa.com.br', 'sub.exemplo.edu.br'))
  .map(parts => parts.join('@'));
const emailForms = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.replace('@', ' @ '),
];
const uuidForms = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.replaceAll('-', ''),
];
const pixCode = fc.uuid({ version: 4 }).map(key => {
  const start = `00020126580014br.gov.bcb.pix0136${key}5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304`;
  return `${start}${crc16ccitt(start).toString(16).toUpperCase().padStart(4, '0')}`;
});

/** As other keyboards and hidden characters write it. */
const disguises = [
  (text: string) => text,
  (text: string) => text.replaceAll(/[0-9]/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
  (text: string) => text.replaceAll(/(?<=[0-9a-z])(?=[0-9a-z])/gi, '\u200b'),
  (text: string) => text.replaceAll(' ', '\u00a0').replaceAll('-', '\u2011'),
  (text: string) => text.replaceAll(/[0-9]/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0x630)),
];

function samplesOf(
  kind: IdentifierKind,
  plain: fc.Arbitrary<string>,
  forms: readonly ((text: string) => string)[],
  disguised = disguises,
): fc.Arbitrary<IdentifierSample> {
  return fc
    .tuple(plain, fc.constantFrom(...forms), fc.constantFrom(...disguised))
    .map(([text, form, disguise]) => ({ kind, plain: text, written: disguise(form(text)) }));
}

export const identifierSamples: Readonly<Record<string, fc.Arbitrary<IdentifierSample>>> = {
  cpf: samplesOf('CPF', cpf, cpfForms),
  cnpj: samplesOf('CNPJ', cnpj, cnpjForms),
  mobile: samplesOf('TELEFONE', mobile, phoneForms),
  landline: samplesOf('TELEFONE', landline, phoneForms),
  local: samplesOf('TELEFONE', local, localForms),
  email: samplesOf('EMAIL', email, emailForms),
  emailInUrl: samplesOf('EMAIL', email, [text => text.replace('@', '%40')], disguises.slice(0, 1)),
  postalCode: samplesOf('CEP', postalCode, postalForms),
  pixKey: samplesOf('PIX', fc.uuid({ version: 4 }), uuidForms),
  pixCode: samplesOf('PIX', pixCode, [text => text], disguises.slice(0, 1)),
  boleto: samplesOf('BOLETO', boleto, boletoForms),
  card: samplesOf('CARTAO', card, cardForms),
};

function holdsLuhn(text: string): boolean {
  const sum = Array.from(text, Number)
    .toReversed()
    .reduce((total, value, at) => total + (at % 2 === 0 ? value : value > 4 ? value * 2 - 9 : value * 2), 0);
  return sum % 10 === 0;
}

/** One of each kind, always the same for the same number. */
function identifiersOf(number: number): IdentifierSample[] {
  return Object.values(identifierSamples).flatMap((samples, at) =>
    fc.sample(samples, { numRuns: 1, seed: 1_000 * number + at }),
  );
}

/** The letters and digits of a text, without its tokens and without disguise. */
export function strippedOf(text: string): string {
  return text
    .replaceAll(/\[[A-Z]+_\d+\]/g, '|')
    .normalize('NFKC')
    .replaceAll(/[\u0660-\u0669]/g, digit => String(digit.charCodeAt(0) - 0x660))
    .replaceAll('%40', '@')
    .replaceAll(/[^\p{L}\p{N}|]+/gu, '')
    .toLowerCase();
}

export const ASKED = ['question', 'dialogue', 'userData', 'globalData', 'contextData', 'insert'] as const;

export const PLACES = [...ASKED, 'passage', 'persona', 'tool result', 'schema', 'crm'] as const;
export type Place = (typeof PLACES)[number];

type Canaries = ReadonlyMap<Place, readonly IdentifierSample[]>;

/** Identifiers of their own for each place; with another number of places before, others. */
export function makeCanaries(from = 0): Canaries {
  return new Map(PLACES.map((place, at) => [place, identifiersOf(from + at + 1)]));
}

/** Those that a text contains, in any spelling. */
export function leaksOf(samples: readonly IdentifierSample[], sent: unknown): string[] {
  const text = strippedOf(JSON.stringify(sent).replaceAll('\\n', ' '));
  return samples
    .filter(({ plain }) => text.includes(strippedOf(plain)))
    .map(({ kind, written }) => `${kind} ${written}`);
}
