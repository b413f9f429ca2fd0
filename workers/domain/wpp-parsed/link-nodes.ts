import { isWebUrl, normaliseUrl } from './bare-url.ts';
import { type InlineNode, itemNode, paymentNode } from './inline-node.ts';
import type { LinkTarget } from './link-target.ts';
import { paymentOf } from './payment.ts';
import type { ParseContext } from './reading.ts';
import { urlItem } from './url-item.ts';

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
 * What a link or picture becomes. Items inside it (a picture, a payment) come first, for a description holds words
 * only; a target that no browser opens stands in brackets behind the words.
 */
export function linkNodes(
  inner: readonly InlineNode[],
  target: LinkTarget,
  isImage: boolean,
  reading: ParseContext,
): readonly InlineNode[] {
  if (isWebUrl(target.url)) {
    const item = urlItem(
      normaliseUrl(target.url),
      descriptionOf(inner, target.title),
      isImage ? 'image' : 'link',
    );
    const items = inner.filter(
      node => typeof node !== 'string' && node.kind === 'item' && node.words === undefined,
    );
    return [...items, itemNode(item)];
  }
  const payment = paymentOf(target.url, reading);
  if (payment) return [...inner, paymentNode(payment, target.url)];
  const rest = [target.url, target.title].filter(part => part !== '').join(' ');
  if (rest === '') return inner;
  const isNamed = inner.some(node => wordsOf(node).trim() !== '');
  return [...inner, isNamed ? ` (${rest})` : rest];
}
