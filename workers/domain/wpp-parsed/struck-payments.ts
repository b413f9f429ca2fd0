import type { InlineNode, MarkRun } from './inline-node.ts';
import { WHATSAPP_MARK } from './message-writer.ts';

function strikesIn(marks: string): number {
  return marks.split(WHATSAPP_MARK.strike).length - 1;
}

function isStrike(node: InlineNode): node is MarkRun {
  return typeof node === 'object' && node.kind === 'run' && node.sign === '~';
}

/** A struck-through payment must not be paid: it becomes text. Call it after the marks are settled. */
export function withoutStruckPayments(nodes: readonly InlineNode[]): readonly InlineNode[] {
  if (!nodes.some(isStrike)) return nodes;
  let depth = 0;
  return nodes.map(node => {
    if (isStrike(node)) depth += strikesIn(node.opens) - strikesIn(node.closes);
    const isStruck = depth > 0 && typeof node === 'object' && node.kind === 'item';
    return isStruck && node.written !== undefined ? node.written : node;
  });
}
