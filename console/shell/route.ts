import { signal } from '@preact/signals';

/*
 * The address says what is open, so that Back goes back and a link can be sent to a colleague:
 *
 *   #page/part/part?name=value      #atendimento/<conversation>      #relatorios?periodo=30
 */

export interface Route {
  readonly page: string;
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Names of pages in older links. */
const formerNames = new Map([
  ['conversa', 'testar'],
  ['eventos', 'webhooks'],
]);

export const route = signal(readRoute());
addEventListener('hashchange', () => (route.value = readRoute()));

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2);
  const [page = '', ...parts] = path.split('/').map(decodePart);
  return {
    page: formerNames.get(page) ?? page,
    parts,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** A link that was cut off is read as far as it goes. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function linkTo(
  page: string,
  parts: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams(query).toString();
  const path = [page, ...parts].map(encodeURIComponent).join('/');
  return `/console#${path}${search && `?${search}`}`;
}

/** Opens the address like a link, but at once: what a person types next belongs to it. */
export function goTo(...to: Parameters<typeof linkTo>): void {
  location.href = linkTo(...to);
  route.value = readRoute();
}

/** Puts the open page into the address without a step of its own for Back. */
export function replaceRoute(...to: Parameters<typeof linkTo>): void {
  history.replaceState(null, '', linkTo(...to));
  route.value = readRoute();
}
