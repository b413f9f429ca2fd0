interface MediaItem<Type extends string> {
  type: Type;
  content: string;
  url: string;
  description: string;
}

export type WppItem =
  | { type: 'text' | 'boleto' | 'pix'; content: string }
  | MediaItem<'image'>
  | MediaItem<'site'>
  | MediaItem<'audio'>;

export function isPayment({ type }: WppItem): boolean {
  return type === 'pix' || type === 'boleto';
}

export const WHATSAPP_MARK = { bold: '*', italic: '_', strike: '~' } as const;

type UrlSyntax = 'bare' | 'link' | 'image';

const IMAGE_ENDINGS = new Set(['jpg', 'jpeg', 'png', 'gif', 'webp']);
const AUDIO_ENDINGS = new Set(['mp3', 'wav', 'ogg']);

/** The file extension of the path in lower case; `https://a.png` has none, because that is a host. */
function endingOf(url: string): string {
  const path = url.slice(url.indexOf('://') + 3).replace(/[?#].*$/s, '');
  const file = path.includes('/') ? path.slice(path.lastIndexOf('/')) : '';
  return file.includes('.') ? file.slice(file.lastIndexOf('.') + 1).toLowerCase() : '';
}

/** A link to an image stays a site: only an image mark or a bare address shows it. */
export function makeUrlItem(url: string, description: string, syntax: UrlSyntax): WppItem {
  const ending = endingOf(url);
  if (AUDIO_ENDINGS.has(ending)) return { type: 'audio', content: url, url, description };
  const type = syntax !== 'link' && IMAGE_ENDINGS.has(ending) ? 'image' : 'site';
  return { type, content: url, url, description };
}
