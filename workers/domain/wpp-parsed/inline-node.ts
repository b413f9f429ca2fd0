import type { WppItem } from './wpp-item.ts';

/** A run of `*`, `_` or `~~`. After pairing, `length` is the number of marks that stay text. */
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
}

export interface ItemNode {
  kind: 'item';
  item: WppItem;
  /** Its text inside a link description, which holds words only; undefined: it stays an item. */
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
