import { CPF_IN_TEXT, cpfOf, PHONE_IN_TEXT } from '../../../text/contact.ts';

const EMAIL = /[\w.+-]@[\w-]{1,63}\.[\w-]/;
const NAME = /\b(meu nome [eé]|me chamo|aqui [eé] [ao]|sou [ao]) \p{L}{2,}/iu;

export function contactKindsIn(texts: readonly string[]): string[] {
  const isCpf = (number: string) => cpfOf(number) !== undefined;
  const isMatched = (pattern: RegExp) => texts.some(text => pattern.test(text));
  const hasCpf = texts.some(text => (text.match(CPF_IN_TEXT) ?? []).some(isCpf));
  const withoutCpf = texts.map(text =>
    text.replaceAll(CPF_IN_TEXT, number => (isCpf(number) ? ' ' : number)),
  );
  return [
    ...(isMatched(NAME) ? ['nome'] : []),
    ...(isMatched(EMAIL) ? ['e-mail'] : []),
    ...(withoutCpf.some(text => PHONE_IN_TEXT.test(text)) ? ['telefone'] : []),
    ...(hasCpf ? ['CPF'] : []),
  ];
}
