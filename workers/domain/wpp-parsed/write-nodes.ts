import { type InlineNode, LINE_BREAK, type MarkRun } from './inline-node.ts';
import type { MessageWriter } from './message-writer.ts';

function writeRun({ closes, opens, sign, length }: MarkRun, writer: MessageWriter): void {
  for (const mark of closes) writer.close(mark);
  if (length > 0) writer.write(sign.repeat(length));
  for (let at = opens.length - 1; at >= 0; at--) writer.open(opens.charAt(at));
}

export function writeNodes(nodes: readonly InlineNode[], writer: MessageWriter): void {
  for (const node of nodes) {
    if (node === LINE_BREAK) writer.lineBreak();
    else if (typeof node === 'string') writer.write(node);
    else if (node.kind === 'item') writer.item(node.item);
    else writeRun(node, writer);
  }
}
