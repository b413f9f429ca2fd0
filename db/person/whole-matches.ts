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

/** Texts whose last digits are those of the phone: `phone_key` takes milliseconds for a long text, this does not. */
export function phoneEnding(phoneKey: string): string {
  return `${phoneKey.slice(-4).split('').join('[^0-9]*')}[^0-9]*$`;
}
