import type { DataOf } from '../queues/contract/operations/index.ts';
import { saysNotFound } from '../workers/domain/gaps/says-not-found.ts';
import {
  keyOfQuestion,
  type ProposedQuestion,
  type ReadPassage,
} from '../workers/domain/propose-questions.ts';
import type { Verdict } from './rehearse-cases.ts';

/*
 * The page that `npm run begin` writes, for those who decide and do not operate: one file without scripts, which fetches nothing.
 * Everything on it that is not ours comes from a stranger's site or from a model, so `html` escapes each value, and only an address of
 * http or https is a link.
 */

type Documents = DataOf<'listDocuments'>['items'];
export type Contradictions = DataOf<'listContradictions'>['items'];

/** A page with more would not be read. */
const MAX_CONTRADICTIONS = 30;

export interface BeginReport {
  readonly address: string;
  readonly host: string;
  readonly avatar: { readonly name: string; readonly subSlug: string; readonly isOnly: boolean };
  readonly madeAt: Date;
  /** Sitemaps that were not read. */
  readonly leftOut: readonly string[];
  readonly documents: Documents;
  readonly passages: readonly ReadPassage[];
  readonly proposed: readonly ProposedQuestion[];
  readonly verdicts: readonly Verdict[];
  readonly contradictions: Contradictions;
}

type Outcome = 'answered' | 'elsewhere' | 'unsure' | 'missing' | 'silent';

const words: Readonly<Record<Outcome, string>> = {
  answered: 'Respondida pelo site',
  elsewhere: 'Respondida por outro trecho: confira',
  unsure: 'Confira: sem fonte no site',
  missing: 'Sem resposta no site',
  silent: 'Nenhuma resposta do modelo',
};

const reasons: Readonly<Record<string, string>> = {
  unreachable: 'não foi possível acessar o endereço, ou a maior parte das páginas',
  gone: 'a página não existe mais',
  'no-text': 'não há texto na página',
  'address-refused': 'o endereço não é permitido',
  'wrong-kind': 'o tipo de arquivo não pode ser lido',
  encrypted: 'o arquivo pede senha',
  broken: 'o arquivo está danificado ou incompleto',
  'too-large': 'o texto é grande demais',
  'too-slow': 'a leitura demorou demais',
  'too-many-passages': 'há trechos demais',
};

/** Text with markup that is safe. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Markup | readonly Markup[];

function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(shown)));
}

function shown(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replaceAll(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

const STYLE = new Markup(`
  body { font: 17px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1d2430; background: #fff }
  h1, h2 { line-height: 1.2 } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccd; padding-bottom: .3rem }
  article { border-left: 5px solid #2b7a4b; padding: .1rem 1rem; margin: 1.2rem 0 } article.elsewhere, article.unsure { border-color: #b27a00 }
  article.missing, article.silent { border-color: #b3261e } h3 { margin: .5rem 0 }
  .answer { white-space: pre-wrap; overflow-wrap: anywhere } .small, li { overflow-wrap: anywhere } .small { color: #4a5363; font-size: .9rem }
  @media print { body { margin: 0 } article { break-inside: avoid } }`);

export function reportPage(report: BeginReport): string {
  const { address, host, avatar, madeAt } = report;
  const outcomes = report.verdicts.map(verdict => outcomeOf(verdict, report.proposed));
  const when = madeAt.toLocaleString('pt-BR', { dateStyle: 'long', timeStyle: 'short' });
  return html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>O que o assistente responde: ${address}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>O que o assistente já responde</h1>
<p>Site: ${link(address)}<br>Instituição: ${host}<br>Assistente: ${avatar.name} (<code>${avatar.subSlug}</code>)<br>Feito em ${when}</p>
<p><strong>${summaryOf(outcomes)}</strong></p>
${reachOf(avatar)}
<h2>O que foi lido</h2>
${readPart(report)}
<h2>O que falta</h2>
${gapsPart(report.verdicts, outcomes)}
<h2>O que se contradiz</h2>
${contradictionsPart(report)}
<h2>Perguntas e respostas</h2>
<p class="small">As perguntas foram tiradas dos títulos e das perguntas das páginas. Confira cada resposta com a fonte.</p>
${report.verdicts.map((verdict, at) => questionPart(verdict, outcomes[at] ?? 'silent'))}
</body>
</html>
`.text;
}

/** An answer that another passage than the one it was asked from carries may be as good, or be of something else. */
function outcomeOf(
  { case: question, answer, failed, sources }: Verdict,
  proposed: readonly ProposedQuestion[],
): Outcome {
  if (failed.includes('answer')) return 'silent';
  if (failed.includes('askHumanHelp') || saysNotFound(answer)) return 'missing';
  if (failed.length > 0 || sources.length === 0) return 'unsure';
  const key = keyOfQuestion(question);
  const ids = proposed.find(each => keyOfQuestion(each.question) === key)?.passageIds;
  const isFromThere = !ids || sources.some(({ chunkId }) => chunkId !== undefined && ids.includes(chunkId));
  return isFromThere ? 'answered' : 'elsewhere';
}

function summaryOf(outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0)
    return 'Nenhuma pergunta foi feita: o site não tem títulos nem perguntas que se possam ler.';
  const count = (...some: Outcome[]) => outcomes.filter(each => some.includes(each)).length;
  return `De ${counted(outcomes.length, 'pergunta', 'perguntas')}: ${count('answered')} com resposta do site, ${count('elsewhere', 'unsure')} para conferir, ${count('missing', 'silent')} sem resposta.`;
}

function reachOf({ subSlug, isOnly }: BeginReport['avatar']): Markup {
  return isOnly
    ? html`<p>Este é o único assistente da instituição: um canal que já esteja ligado e não nomeie nenhum passa a receber as respostas dele. Nada foi ligado agora.</p>`
    : html`<p>Ninguém é atendido por este assistente ainda: ele não foi ligado a nenhum canal. Só responde a quem o nomear (<code>${subSlug}</code>).</p>`;
}

function readPart({ documents, passages, leftOut }: BeginReport): Markup {
  const pages = new Set(passages.map(({ page }) => pageIn(page) ?? '')).size;
  const read = `${counted(pages, 'página', 'páginas')}, ${counted(passages.length, 'trecho', 'trechos')}.`;
  return html`<p>${read}</p>
${documents.map(documentPart)}
${leftOut.length === 0 ? '' : html`<p>Não foram lidos, por passarem do limite de mapas do site:</p>${listOf(leftOut)}`}`;
}

function documentPart({ url = '', state, reason, incomplete, gone }: Documents[number]): Markup {
  const failed = html`<p>${link(url)} não foi lido: ${reasons[reason ?? ''] ?? reason ?? ''}.</p>`;
  const unread = incomplete && [
    html`<p>${counted(incomplete.count, 'página não foi lida', 'páginas não foram lidas')}: não responderam agora, não têm texto próprio ou passam do limite de 200 páginas.</p>`,
    listOf(incomplete.pages, incomplete.count),
  ];
  const lost = gone && [
    html`<p>${counted(gone.count, 'página está no mapa do site e não existe mais', 'páginas estão no mapa do site e não existem mais')}:</p>`,
    listOf(gone.pages, gone.count),
  ];
  return html`${state === 'failed' ? failed : html`<p class="small">Lido de ${link(url)}</p>`}${unread ?? ''}${lost ?? ''}`;
}

function gapsPart(verdicts: readonly Verdict[], outcomes: readonly Outcome[]): Markup {
  const lacking = verdicts.filter((_, at) => ['missing', 'silent', 'unsure'].includes(outcomes[at] ?? ''));
  if (lacking.length === 0) return html`<p>Nenhuma das perguntas ficou sem resposta.</p>`;
  return html`<p>Estas perguntas não têm uma resposta segura no que foi lido:</p>${listOf(lacking.map(each => each.case))}`;
}

function contradictionsPart({ contradictions, passages }: BeginReport): Markup {
  const late = html`<p class="small">As contradições são procuradas em segundo plano, depois da leitura: uma segunda execução mostra as que forem encontradas até lá.</p>`;
  if (contradictions.length === 0) return html`<p>Nenhuma contradição foi encontrada até agora.</p>${late}`;
  const pages = new Map(passages.map(({ id, page }) => [id, page]));
  const some = contradictions.slice(0, MAX_CONTRADICTIONS);
  const parts = some.map(
    ({ passages: both, places }) => html`<article class="unsure">
${both.map(({ chunkId, content }, at) => {
  const { from = 0, to = content.length } = places[at]?.sentence ?? {};
  return html`<p class="answer">“${content.slice(from, to)}”</p><p class="small">${link(pages.get(chunkId) ?? '')}</p>`;
})}
</article>
`,
  );
  const more = contradictions.length - some.length;
  return html`${parts}${more > 0 ? html`<p>E mais ${more}: o console mostra todas.</p>` : ''}${late}`;
}

function questionPart({ case: question, answer, sources }: Verdict, outcome: Outcome): Markup {
  const titles = [...new Set(sources.flatMap(({ title }) => title ?? []))];
  return html`<article class="${outcome}">
<h3>${question}</h3>
<p class="small">${words[outcome]}</p>
<p class="answer">${answer}</p>
${titles.length === 0 ? '' : html`<p class="small">Fontes:</p>${listOf(titles)}`}
</article>
`;
}

/** `total` is their number where only the first of them are named. */
function listOf(items: readonly string[], total = items.length): Markup {
  const more = total > items.length ? html`<li>e mais ${total - items.length}</li>` : '';
  return html`<ul>${items.map(item => html`<li>${link(item)}</li>`)}${more}</ul>`;
}

/** The text, in which the address of a page is a link. */
function link(text: string): Markup {
  const url = pageIn(text);
  if (url === undefined) return html`${text}`;
  return html`${text.slice(0, -url.length)}<a href="${url}" rel="noreferrer">${url}</a>`;
}

/** The address with which the title of a passage ends. */
function pageIn(title: string): string | undefined {
  const url = title.slice(title.lastIndexOf(' ') + 1);
  return /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
