import { getElementsByTagName, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { UnreadableError } from '../document-kind.ts';

export interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

const MAX_ADDRESSES = 50_000;
const MAX_ADDRESS = 2_000;

/** The addresses that a sitemap lists; undefined where the text is none. Throws for one that was cut: the passages of what it lists no more are deleted. */
export function readSitemap(text: string): Sitemap | undefined {
  const [, root] = /<(urlset|sitemapindex)[\s>]/.exec(text.slice(0, 4_096)) ?? [];
  if (root === undefined) return undefined;
  if (!text.includes(`</${root}`) && !text.trimEnd().endsWith('/>')) throw new UnreadableError('broken');
  const document = parseDocument(text, { xmlMode: true });
  const addressesIn = (name: string) =>
    getElementsByTagName(name, document, true, MAX_ADDRESSES).flatMap(entry => {
      const [location] = getElementsByTagName('loc', entry.children, true, 1);
      const address = location ? textContent(location).trim() : '';
      return address === '' || address.length > MAX_ADDRESS ? [] : [address];
    });
  return { pages: addressesIn('url'), sitemaps: addressesIn('sitemap') };
}
