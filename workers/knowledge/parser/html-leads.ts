import type { Document, Element } from 'domhandler';
import { findAll, textContent } from 'domutils';
import { isHidden } from './html-page.ts';

/* Where a browser goes on by itself from a page: its frames, and the page that it is sent to. */

export interface Leads {
  /** Frames, and a page that a browser is soon sent to. */
  readonly always: readonly string[];
  /** Addresses in scripts that move on: many a page also has one for telephones, or for who has signed out. */
  readonly ifEmpty: readonly string[];
}

const MAX_LEADS = 200;
const MAX_ADDRESS = 2_000;
/** A page that sends a reader away later is one to read; they are sent to a sign-in. */
const SOON_SECONDS = 30;
const REFRESH = /^\s*(\d{1,9})[\d.]{0,9}\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']{1,2000})/i;
const MOVES = /\blocation(?:\.href)?\s{0,9}=\s{0,9}["']([^"'\s]{1,2000})["']/g;
const REPLACES = /\blocation\.(?:replace|assign)\s{0,9}\(\s{0,9}["']([^"'\s]{1,2000})["']/g;
/** UTF-16 units of a script; one that only moves on is short. */
const MAX_SCRIPT = 4_000;

/** `address` is where relative addresses begin. */
export function leadsOf(document: Document, address: string | undefined): Leads {
  const [always, ifEmpty] = [new Set<string>(), new Set<string>()];
  const add = (leads: Set<string>, to = '') => {
    if (leads.size >= MAX_LEADS || to.trim() === '' || !URL.canParse(to, address)) return;
    const url = new URL(to, address);
    if (/^https?:$/.test(url.protocol) && url.href.length <= MAX_ADDRESS) leads.add(url.href);
  };
  for (const element of findAll(() => true, document.children)) {
    const { name, attribs } = element;
    if (name === 'frame' || (name === 'iframe' && !isHidden(element))) add(always, attribs['src']);
    else if (name === 'meta') add(always, refreshOf(element));
    else if (name === 'script') for (const to of movesIn(element)) add(ifEmpty, to);
  }
  return { always: [...always], ifEmpty: [...ifEmpty] };
}

function refreshOf({ attribs }: Element): string | undefined {
  if (attribs['http-equiv']?.trim().toLowerCase() !== 'refresh') return undefined;
  const [, seconds, to] = REFRESH.exec(attribs['content'] ?? '') ?? [];
  return Number(seconds) <= SOON_SECONDS ? to : undefined;
}

function movesIn(script: Element): string[] {
  const source = textContent(script);
  if (source.length > MAX_SCRIPT) return [];
  return [MOVES, REPLACES].flatMap(form => Array.from(source.matchAll(form), ([, to = '']) => to));
}
