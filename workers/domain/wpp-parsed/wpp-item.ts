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

/** Returns the file extension of the path in lower case; `https://a.png` has none, because that is a host. */
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

/** A run of `*`, `_`, `~~` or `==`. After pairing, `length` is the number of marks that stay text. */
export interface MarkRun {
  kind: 'run';
  sign: string;
  length: number;
  readonly fullLength: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** WhatsApp's marks, one character each; of the opening marks the innermost comes first. */
  closes: string;
  opens: string;
  isPaired: boolean;
  /** A blank is written behind it. */
  isBeforeWord: boolean;
}

interface ItemNode {
  kind: 'item';
  item: WppItem;
  /** Its text inside a link description, which holds only words; undefined: it stays an item. */
  words: string | undefined;
  /** The original text of a payment, for struck-through ones. */
  written: string | undefined;
}

export function makeItemNode(item: WppItem, words?: string): ItemNode {
  return { kind: 'item', item, words, written: undefined };
}

export function makePaymentNode(item: WppItem, written: string): ItemNode {
  return { kind: 'item', item, words: undefined, written };
}

/** A string is text, `LINE_BREAK` is a break. Most nodes are one of these, so they need no object. */
export type InlineNode = string | ItemNode | MarkRun;

export const LINE_BREAK = '\n';
