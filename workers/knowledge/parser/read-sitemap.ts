import { getElementsByTagName, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';

export interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

const MAX_ADDRESSES = 50_000;
const MAX_ADDRESS = 2_000;

/** The addresses that a sitemap lists; undefined where the text is none. */
export function readSitemap(text: string): Sitemap | undefined {
  if (!/<(?:urlset|sitemapindex)[\s>]/.test(text.slice(0, 4_096))) return undefined;
  const document = parseDocument(text, { xmlMode: true });
  const addressesIn = (name: string) =>
    getElementsByTagName(name, document, true, MAX_ADDRESSES).flatMap(entry => {
      const [location] = getElementsByTagName('loc', entry.children, true, 1);
      const address = location ? textContent(location).trim() : '';
      return address === '' || address.length > MAX_ADDRESS ? [] : [address];
    });
  return { pages: addressesIn('url'), sitemaps: addressesIn('sitemap') };
}
