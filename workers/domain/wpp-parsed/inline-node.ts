import type { WppItem } from './wpp-item.ts';

/** A run of `*`, `_` or `~~`. Once settled, `length` is what of it stays signs. */
export interface MarkRun {
  kind: 'run';
  sign: string;
  length: number;
  readonly fullLength: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** WhatsApp's marks, one character each; of the openings the innermost comes first. */
  closes: string;
  opens: string;
  settled: boolean;
}

export interface ItemNode {
  kind: 'item';
  item: WppItem;
  /** What stands for it inside a link's description, which holds words only; without them it stays an item. */
  words: string | undefined;
  /** A payment as it was written, for where it is said not to be paid. */
  written: string | undefined;
}

export function itemNode(item: WppItem, words?: string): ItemNode {
  return { kind: 'item', item, words, written: undefined };
}

export function paymentNode(item: WppItem, written: string): ItemNode {
  return { kind: 'item', item, words: undefined, written };
}

/** A string is text, and `LINE_BREAK` alone a break: the two are most of an answer and cost no object. */
export type InlineNode = string | ItemNode | MarkRun;

export const LINE_BREAK = '\n';
