import { cpfOf } from '../contact/cpf.ts';

const EMAIL = /[\w.+-]@[\w-]{1,63}\.[\w-]/;
const PHONE = /(^|[^\d.])(\+?55\s?)?\(?[1-9]\d\)?\s?9?\d{4}[-\s]?\d{4}(?!\d)/;
const CPF = /(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)/g;
const NAME = /\b(meu nome [eé]|me chamo|aqui [eé] [ao]|sou [ao]) \p{L}{2,}/iu;

export function contactKindsIn(texts: readonly string[]): string[] {
  const isCpf = (number: string) => cpfOf(number) !== undefined;
  const isMatched = (pattern: RegExp) => texts.some(text => pattern.test(text));
  const hasCpf = texts.some(text => (text.match(CPF) ?? []).some(isCpf));
  const withoutCpf = texts.map(text => text.replaceAll(CPF, number => (isCpf(number) ? ' ' : number)));
  return [
    ...(isMatched(NAME) ? ['nome'] : []),
    ...(isMatched(EMAIL) ? ['e-mail'] : []),
    ...(withoutCpf.some(text => PHONE.test(text)) ? ['telefone'] : []),
    ...(hasCpf ? ['CPF'] : []),
  ];
}
