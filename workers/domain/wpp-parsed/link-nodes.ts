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
  const rest = [target.url, target.title].filter(part => part !== '').join(' ');
  if (rest === '') return inner;
  const isNamed = inner.some(node => wordsOf(node).trim() !== '');
  return [...inner, isNamed ? ` (${rest})` : rest];
}
