import { isForeign, keysWithoutPlus } from './phone-matches.ts';

/*
 * Regular expressions of PostgreSQL for texts in lower case, which find an e-mail or a CPF as a whole: "ana@x.com" is
 * not in "mariana@x.com" nor in "ana@x.com.br", and eleven digits are not in a longer number.
 */

/** An escape of JSON, whose last character would otherwise count as part of what follows it. */
const jsonEscape = String.raw`\\[bfnrt]|\\u[0-9a-f]{4}`;

/** Any e-mail with a domain, as opposed to "@name". */
export const anyEmail = String.raw`[[:alnum:]._%+-]+@(?:[[:alnum:]-]+\.)+[[:alpha:]][[:alnum:]-]+`;

export function wholeEmail(email: string): string {
  const literal = email.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return String.raw`(?:^|[^[:alnum:]._%+-]|${jsonEscape})${literal}(?:$|[^[:alnum:].-]|\.(?:$|[^[:alnum:]]))`;
}

const marks = './–—-';
const spaces = String.raw`[:space:]\u00a0\u202f`;

/**
 * A CPF with or without separators. Only where these are not spaces may other numbers stand beside it. None for a
 * value that is not a CPF: "12" is in many texts.
 */
export function wholeCpfs(cpf: string): string[] {
  if (!/^[0-9]{11}$/.test(cpf)) return [];
  return [marks, spaces + marks].map(separators => {
    const between = `[${separators}]{0,3}`;
    const digits = [cpf.slice(0, 3), cpf.slice(3, 6), cpf.slice(6, 9), cpf.slice(9)].join(between);
    return `(?:^|[^0-9${separators}]|${jsonEscape})[${separators}]*${digits}[${separators}]*(?:$|[^0-9${separators}])`;
  });
}

/**
 * A phone within a text, by its key: one of Brazil with or without its code, a zero, and the ninth digit, a foreign one with its plus,
 * or without where it cannot be of Brazil. As of
 * a CPF, other numbers may stand beside it only where its separators are not spaces.
 */
export function wholePhones(phoneKey: string): string[] {
  const [, area, rest] = /^([1-9][0-9])9([6-9][0-9]{7})$/.exec(phoneKey) ?? [];
  return [marks, spaces + marks].map(separators => {
    const any = `[()${separators}]`;
    const spell = (digits: string) => digits.split('').join(`${any}{0,3}`);
    const own =
      area && rest
        ? `${spell(area)}${any}{0,3}(?:9${any}{0,3})?${spell(rest)}`
        : spell(phoneKey.replace('+', ''));
    const plus = keysWithoutPlus([phoneKey]).length > 0 ? '(?:[+]|00)?' : '(?:[+]|00)';
    const code = isForeign(phoneKey) ? plus : `(?:(?:[+]|00)?55${any}{0,3})?(?:0${any}{0,3})?`;
    return `(?:^|[^0-9+()${separators}]|${jsonEscape})${any}*${code}${any}*${own}${any}*(?:$|[^0-9()${separators}])`;
  });
}

/** Texts whose last digits are those of the phone: `phone_key` takes milliseconds for a long text, this does not. */
export function phoneEnding(phoneKey: string): string {
  return `${phoneKey.slice(-4).split('').join('[^0-9]*')}[^0-9]*$`;
}
