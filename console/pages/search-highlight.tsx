const characterByName: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/**
 * A highlight is escaped text with matches in <mark>. Only <mark> is interpreted: any other markup stays text. It has all that
 * is indexed of a record, so only the parts in which something was found are shown.
 */
export function Highlight({ text }: { readonly text: string }) {
  const parts = text.split(' | ');
  const found = parts.filter(part => part.includes('<mark>'));
  const shown = (found.length > 0 ? found : parts.slice(0, 2)).join(' · ');
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

/** Without the digits by which a person could be found out: `***.982.247-**`. */
export function maskCpf(text: string): string {
  return text.replaceAll(
    /(?<!\d)(?<!\+)\d{3}\.?(\d{3})\.?(\d{3})-?\d{2}(?!\d)/g,
    (whole, second: string, third: string) => (isCpf(whole) ? `***.${second}.${third}-**` : whole),
  );
}

/** A telephone may have eleven digits, too; the last two of a CPF follow from the others. */
function isCpf(text: string): boolean {
  const digits = Array.from(text.replaceAll(/\D/g, ''), Number);
  const checkOf = (count: number) => {
    const sum = digits.slice(0, count).reduce((so, digit, at) => so + digit * (count + 1 - at), 0);
    return ((sum * 10) % 11) % 10;
  };
  return digits[9] === checkOf(9) && digits[10] === checkOf(10);
}

function unescapeText(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,6})|(lt|gt|quot|amp));/g, (_, code, name) =>
    name ? (characterByName[name] ?? '') : String.fromCodePoint(Number(code)),
  );
}
