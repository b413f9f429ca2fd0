import { saysNotFound } from '../../../text/says-not-found.ts';
import { formatCount } from '../../format.ts';
import { withoutLinks } from '../../passage.ts';
import { reasonText } from '../knowledge/unread-reasons.ts';
import type { FoundContradictions, PreparedSite } from './begin-site.ts';

/* What is said to those who decide and do not operate. The console and the file that `npm run begin` writes show the same parts. */

/** How one question was answered. */
export interface Verdict {
  readonly case: string;
  /** The checks that failed. */
  readonly failed: readonly string[];
  /** Empty if there was none. */
  readonly answer: string;
  /** The passages that carry it. */
  readonly sources: readonly { readonly chunkId?: string | undefined; readonly title?: string | undefined }[];
}

export interface SiteReport {
  readonly site: PreparedSite;
  readonly madeAt: Date;
  readonly verdicts: readonly Verdict[];
  readonly contradictions: FoundContradictions;
}

export type Outcome = 'answered' | 'elsewhere' | 'unsure' | 'missing' | 'silent';

type TextKind = 'heading' | 'question' | 'text' | 'strong' | 'small' | 'said';

/** A text that ends with an address is shown with a link to it, but for headings and what somebody said. */
export type Part =
  | { readonly kind: TextKind; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'card'; readonly outcome: Outcome; readonly parts: readonly Part[] };

const outcomeWords: Readonly<Record<Outcome, string>> = {
  answered: 'Respondida pelo site',
  elsewhere: 'Respondida por outro trecho: confira',
  unsure: 'Confira: sem fonte no site',
  missing: 'Sem resposta no site',
  silent: 'Nenhuma resposta do modelo',
};

const dateOf = (date: Date) => date.toLocaleString('pt-BR', { dateStyle: 'long', timeStyle: 'short' });

const say = (text: string, kind: TextKind = 'text'): Part => ({ kind, text });

export function reportParts(report: SiteReport): Part[] {
  const { site, verdicts } = report;
  const judged = verdicts.map(verdict => ({ ...verdict, outcome: outcomeOf(verdict, site.found.proposed) }));
  return [
    say(`Site: ${site.address}`),
    say(`Instituição: ${site.host}`),
    say(`Assistente: ${site.avatar.name}`),
    say(`Feito em ${dateOf(report.madeAt)}`),
    say(summaryOf(judged, site.found), 'strong'),
    say(reachOf(site.avatar)),
    say('O que foi lido', 'heading'),
    ...readParts(site),
    ...(judged.length === 0 ? [] : [say('O que falta', 'heading'), ...gapParts(judged)]),
    say('O que se contradiz', 'heading'),
    ...contradictionParts(report.contradictions),
    ...(judged.length === 0 ? [] : questionParts(judged)),
  ];
}

function questionParts(judged: readonly Judged[]): Part[] {
  return [
    say('Perguntas e respostas', 'heading'),
    say(
      'As perguntas foram tiradas dos títulos e das perguntas das páginas. Confira cada resposta com a fonte.',
      'small',
    ),
    ...judged.map(questionPart),
  ];
}

interface Judged extends Verdict {
  readonly outcome: Outcome;
}

/** An answer that another passage than the one it was asked from carries may be as good, or be of something else. */
function outcomeOf(
  { case: question, answer, failed, sources }: Verdict,
  proposed: PreparedSite['found']['proposed'],
): Outcome {
  if (failed.includes('answer')) return 'silent';
  if (failed.includes('askHumanHelp') || saysNotFound(answer)) return 'missing';
  if (failed.length > 0 || sources.length === 0) return 'unsure';
  const ids = proposed.find(each => each.question === question)?.chunkIds;
  const isFromThere = !ids || sources.some(({ chunkId }) => chunkId !== undefined && ids.includes(chunkId));
  return isFromThere ? 'answered' : 'elsewhere';
}

function summaryOf(judged: readonly Judged[], { passages }: PreparedSite['found']): string {
  if (passages === 0) return 'Nada foi lido do site, e nenhuma pergunta foi feita.';
  if (judged.length === 0)
    return 'Nenhuma pergunta foi feita: não há títulos nem perguntas no que foi lido. Se os textos do site estão em PDFs, envie-os em Conhecimento.';
  const count = (...some: Outcome[]) => judged.filter(({ outcome }) => some.includes(outcome)).length;
  return `De ${formatCount(judged.length, 'pergunta', 'perguntas')}: ${count('answered')} com resposta do site, ${count('elsewhere', 'unsure')} para conferir, ${count('missing', 'silent')} sem resposta.`;
}

function reachOf({ subSlug, isOnly }: PreparedSite['avatar']): string {
  return isOnly
    ? 'Este é o único assistente da instituição: um canal que já esteja ligado e não nomeie nenhum passa a receber as respostas dele. Nada foi ligado agora.'
    : `Ninguém é atendido por este assistente ainda: ele não foi ligado a nenhum canal. Sistemas que se integram o chamam por “${subSlug}”.`;
}

function readParts({ documents, found, left }: PreparedSite): Part[] {
  const read = `${formatCount(found.pages, 'página', 'páginas')}, ${formatCount(found.passages, 'trecho', 'trechos')}.`;
  const unread = 'Não foram lidos, por passarem do limite de mapas do site:';
  return [
    say(read),
    ...documents.flatMap(documentParts),
    ...(left.length === 0 ? [] : [say(unread), listOf(left)]),
  ];
}

const PAGE_WITHOUT_TEXT =
  'a página não tem texto: ele está em imagens, scripts ou outro site. Comece pelo endereço de uma página com texto.';
const TOO_MUCH =
  'é mais do que se lê de uma vez, ou a leitura demorou demais. Comece pelo endereço de uma parte do site.';

const NO_DOCUMENT =
  'o endereço não é de uma página, nem de um documento que se possa ler. Comece por outro endereço.';

/** Nobody splits or scans a site, as one may do with a document. */
export function siteReasonText(reason: Parameters<typeof reasonText>[0]): string {
  if (reason === 'no-text') return PAGE_WITHOUT_TEXT;
  if (reason === 'wrong-kind') return NO_DOCUMENT;
  return reason?.startsWith('too-') ? TOO_MUCH : reasonText(reason);
}

function documentParts({
  url = '',
  state,
  reason,
  incomplete,
  gone,
  updated_at: updatedAt,
}: PreparedSite['documents'][number]): Part[] {
  const parts =
    state === 'failed'
      ? [say(`Não foi lido: ${siteReasonText(reason)} ${url}`)]
      : [say(`Lido em ${dateOf(new Date(updatedAt))} de ${url}`, 'small')];
  if (incomplete) {
    const unread = formatCount(incomplete.count, 'página não foi lida', 'páginas não foram lidas');
    const why = 'não responderam agora, não têm texto próprio ou passam do limite de 200 páginas.';
    parts.push(say(`${unread}: ${why}`), listOf(incomplete.pages, incomplete.count));
  }
  if (gone) {
    const lost = formatCount(
      gone.count,
      'página está no mapa do site e não existe mais',
      'páginas estão no mapa do site e não existem mais',
    );
    parts.push(say(`${lost}:`), listOf(gone.pages, gone.count));
  }
  return parts;
}

function gapParts(judged: readonly Judged[]): Part[] {
  const lacking = judged.filter(({ outcome }) => ['missing', 'silent', 'unsure'].includes(outcome));
  if (lacking.length === 0) return [say('Nenhuma das perguntas ficou sem resposta.')];
  return [
    say('Estas perguntas não têm uma resposta segura no que foi lido:'),
    listOf(lacking.map(each => each.case)),
  ];
}

function contradictionParts({ pairs, more, isPartial }: FoundContradictions): Part[] {
  const cards = pairs.map(
    (sayings): Part => ({
      kind: 'card',
      outcome: 'unsure',
      parts: sayings.flatMap(({ text, page }) => [say(`“${text}”`, 'said'), say(page, 'small')]),
    }),
  );
  return [
    ...(pairs.length > 0 ? cards : isPartial ? [] : [say('Nenhuma contradição foi encontrada.')]),
    ...(more > 0 ? [say(`E mais ${more}: o painel mostra todas, em Conhecimento.`)] : []),
    ...(isPartial
      ? [say('Ainda há trechos por comparar. Comece de novo pelo mesmo endereço daqui a alguns minutos.')]
      : []),
  ];
}

function questionPart({ case: question, answer, sources, outcome }: Judged): Part {
  const titles = [...new Set(sources.flatMap(({ title }) => title ?? []))];
  const ofSources = titles.length === 0 ? [] : [say('Fontes:', 'small'), listOf(titles)];
  return {
    kind: 'card',
    outcome,
    parts: [
      say(question, 'question'),
      say(outcomeWords[outcome], 'small'),
      say(withoutLinks(answer).replaceAll('**', ''), 'said'),
      ...ofSources,
    ],
  };
}

/** `total` is their number where only the first of them are named. */
function listOf(items: readonly string[], total = items.length): Part {
  const more = total > items.length ? [`e mais ${total - items.length}`] : [];
  return { kind: 'list', items: [...items, ...more] };
}

/** The text before the address with which it ends, and the address, if it is one of a page. */
export function splitAddress(text: string): readonly [before: string, url: string | undefined] {
  const url = text.slice(text.lastIndexOf(' ') + 1);
  return /^https?:\/\//.test(url) && URL.canParse(url)
    ? [text.slice(0, -url.length), url]
    : [text, undefined];
}
