import { type Part, reportParts, type SiteReport, splitAddress } from './report.ts';

/*
 * The report as one file without scripts, which fetches nothing. Everything on it that is not ours comes from a stranger's site or
 * from a model, so `html` escapes each value, and only an address of http or https is a link.
 */

/** Text with markup that is safe. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Markup | readonly Markup[];

function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(shown)));
}

function shown(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return value.replaceAll(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

const LOCALE = 'pt-BR';
const TITLE = 'O que o assistente já responde';
const STYLE = html`
  body { font: 17px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1d2430; background: #fff }
  h1, h2 { line-height: 1.2 } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccd; padding-bottom: .3rem }
  article { border-left: 5px solid #2b7a4b; padding: .1rem 1rem; margin: 1.2rem 0 } article.elsewhere, article.unsure { border-color: #b27a00 }
  article.missing, article.silent { border-color: #b3261e } h3 { margin: .5rem 0 }
  .said { white-space: pre-wrap; overflow-wrap: anywhere } p, li { overflow-wrap: anywhere } .small { color: #4a5363; font-size: .9rem }
  @media print { body { margin: 0 } article { break-inside: avoid } }`;

export function reportFile(report: SiteReport): string {
  return html`<!doctype html>
<html lang="${LOCALE}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${TITLE}: ${report.site.address}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${TITLE}</h1>
${reportParts(report).map(markupOf)}
</body>
</html>
`.text;
}

function markupOf(part: Part): Markup {
  switch (part.kind) {
    case 'heading':
      return html`<h2>${part.text}</h2>\n`;
    case 'question':
      return html`<h3>${part.text}</h3>\n`;
    case 'strong':
      return html`<p><strong>${part.text}</strong></p>\n`;
    case 'said':
      return html`<p class="said">${part.text}</p>\n`;
    case 'list':
      return html`<ul>${part.items.map(item => html`<li>${linked(item)}</li>`)}</ul>\n`;
    case 'card':
      return html`<article class="${part.outcome}">\n${part.parts.map(markupOf)}</article>\n`;
    case 'small':
      return html`<p class="small">${linked(part.text)}</p>\n`;
    case 'text':
      return html`<p>${linked(part.text)}</p>\n`;
  }
}

function linked(text: string): Markup {
  const [before, url] = splitAddress(text);
  return url === undefined ? html`${text}` : html`${before}<a href="${url}" rel="noreferrer">${url}</a>`;
}
