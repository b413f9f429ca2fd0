import { isCpf } from '../../text/check-digits.ts';
import { CPF_IN_TEXT, readDigits } from '../../text/contact.ts';

const characterByName: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Markup of a model for bold, headings and code, and the ends of a passage that was cut. */
const MARKDOWN = /\*\*|__|`+|^#{1,6} /gm;

/**
 * A highlight is escaped text with matches in <mark>. Only <mark> is interpreted: any other markup stays text. The text has every
 * indexed field of a record, so only parts with a match are shown.
 */
export function Highlight({ text }: { readonly text: string }) {
  const parts = text.split(' | ');
  const found = parts.filter(part => part.includes('<mark>'));
  const shown = (found.length > 0 ? found : parts.slice(0, 2)).join(' · ').replaceAll(MARKDOWN, '');
  return (
    <>
      {shown.split(/(<mark>[^<]*<\/mark>)/).map((part, at) => {
        const [, marked] = /^<mark>([^<]*)<\/mark>$/.exec(part) ?? [];
        return marked === undefined ? (
          maskCpf(unescapeText(part))
        ) : (
          <mark key={at}>{maskCpf(unescapeText(marked))}</mark>
        );
      })}
    </>
  );
}

/** Hides the digits by which somebody could identify a person: `***.982.247-**`. A telephone may have eleven digits, too. */
export function maskCpf(text: string): string {
  return text.replaceAll(CPF_IN_TEXT, (whole, at: number) => {
    const digits = readDigits(whole);
    const isMasked = text[at - 1] !== '+' && isCpf(Uint8Array.from(digits, Number), 0);
    return isMasked ? `***.${digits.slice(3, 6)}.${digits.slice(6, 9)}-**` : whole;
  });
}

function unescapeText(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,6})|(lt|gt|quot|amp));/g, (_, code, name) =>
    name ? (characterByName[name] ?? '') : String.fromCodePoint(Number(code)),
  );
}
