import { isWebUrl, normalizeUrl } from '../../../text/bare-url.ts';
import { type InlineNode, makeItemNode, makePaymentNode } from './inline-node.ts';
import type { LinkTarget } from './link-target.ts';
import type { ParseContext } from './parse-context.ts';
import { paymentOf } from './payment.ts';
import { makeUrlItem } from './url-item.ts';

function wordsOf(node: InlineNode): string {
  if (typeof node === 'string') return node;
  return node.kind === 'run' ? node.sign.repeat(node.length) : (node.words ?? '');
}

function descriptionOf(inner: readonly InlineNode[], title: string): string {
  const words = inner.map(wordsOf).join('').replace(/\s+/g, ' ').trim();
  if (title === '' || title === words) return words;
  return words === '' ? title : `${words} (${title})`;
}

/**
 * The nodes of a link or image. Items inside it (an image, a payment) come first, because a description holds words
 * only. A target that no browser can open is appended in brackets.
 */
export function linkNodes(
  inner: readonly InlineNode[],
  target: LinkTarget,
  isImage: boolean,
  context: ParseContext,
): readonly InlineNode[] {
  if (isWebUrl(target.url)) {
    const item = makeUrlItem(
      normalizeUrl(target.url),
      descriptionOf(inner, target.title),
      isImage ? 'image' : 'link',
    );
    const items = inner.filter(
      node => typeof node !== 'string' && node.kind === 'item' && node.words === undefined,
    );
    return [...items, makeItemNode(item)];
  }
  const payment = paymentOf(target.url, context);
  if (payment) return [...inner, makePaymentNode(payment, target.url)];
  const address = contactOf(target.url) ?? target.url;
  const rest = [address, target.title].filter(part => part !== '').join(' ');
  const name = inner.map(wordsOf).join('').trim();
  if (rest === '' || isSaid(address, name)) return inner;
  return [...inner, name === '' ? rest : ` (${rest})`];
}

/** Who is called or written to by `tel:` or `mailto:`; undefined for another kind of address. */
function contactOf(url: string): string | undefined {
  const [, contact] = /^(?:mailto|tel):([^?]*)/i.exec(url) ?? [];
  return contact?.replaceAll('%40', '@').replaceAll('%20', ' ').replaceAll('%2B', '+');
}

/** Whether the name of a contact says it: a phone in any grouping, with or without the country. */
function isSaid(contact: string, name: string): boolean {
  const digits = name.replace(/\D/g, '');
  const isPhone = /^\+?[\d\s().-]+$/.test(name) && digits.length >= 8;
  return isPhone
    ? contact.replace(/\D/g, '').endsWith(digits)
    : name !== '' && name.toLowerCase() === contact.toLowerCase();
}
