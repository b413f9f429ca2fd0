import { piecesOf } from '../../../text/pieces.ts';
import { CodeFence } from './code-fence.ts';
import { type InlineNode, LINE_BREAK, type MarkRun } from './inline-node.ts';
import { parseInlineNodes } from './inline-reader.ts';
import {
  headingOf,
  indentOf,
  isRule,
  isUnderline,
  type ListMarker,
  listMarkerOf,
  mayHaveShape,
  splitQuoteMarks,
} from './line-shape.ts';
import { ListLevels } from './list-levels.ts';
import { MessageWriter, WHATSAPP_MARK } from './message-writer.ts';
import { MAX_PIECE_LENGTH, Paragraph } from './paragraph.ts';
import type { ParseContext } from './parse-context.ts';
import { paymentOf } from './payment.ts';
import { isTableRule, splitTableCells } from './table-row.ts';
import type { WppItem } from './wpp-item.ts';

/** The quote mark is repeated after each image and link of the line, so its length must be bounded. */
const MAX_QUOTE_DEPTH = 10;

function quoteOf(depth: number): string {
  return '> '.repeat(Math.min(depth, MAX_QUOTE_DEPTH));
}

/**
 * Assigns each line of the answer to a block. States: in a fence (code until it closes), in a table (lines with a
 * bar are rows), otherwise in a paragraph, which may be empty. A paragraph is buffered until the line that ends it
 * is known, because that line may turn it into a heading, or its last line into a table head. One step handles a
 * piece of a paragraph, because a line may be long.
 */
export class BlockReader {
  readonly #writer = new MessageWriter();
  readonly #context: ParseContext;
  readonly #lists = new ListLevels();
  /** Quote depth of the line. */
  #depth = 0;
  #afterBlank = false;
  readonly #paragraph = new Paragraph();
  /** The list marker before the open paragraph or fence. */
  #marker = '';
  #fence: CodeFence | undefined;
  #inTable = false;

  constructor(context: ParseContext) {
    this.#context = context;
  }

  *finish(): Generator<void, WppItem[]> {
    yield* this.#endBlock();
    return this.#writer.finish();
  }

  *line(raw: string): Generator<void, void> {
    // Inside a fence, an additional `>` is code.
    const most = this.#fence ? this.#depth : Number.POSITIVE_INFINITY;
    const { depth, rest } = splitQuoteMarks(raw, most);
    if (depth !== this.#depth) {
      yield* this.#endBlock();
      this.#lists.close();
      this.#depth = depth;
    }
    const body = rest.trim();
    if (this.#fence) yield* this.#codeLine(this.#fence, rest, body);
    else if (body === '') yield* this.#blankLine();
    else if (this.#inTable && body.includes('|')) yield* this.#row(body, '');
    else yield* this.#bodyLine(body, indentOf(rest));
  }

  *#codeLine(fence: CodeFence, line: string, body: string): Generator<void, void> {
    if (fence.isClosedBy(body)) yield* this.#endBlock();
    else {
      fence.add(line);
      if (fence.heldLength > MAX_PIECE_LENGTH) this.#writeCode(fence);
    }
  }

  *#blankLine(): Generator<void, void> {
    yield* this.#endBlock();
    this.#afterBlank = true;
  }

  *#bodyLine(body: string, indent: number): Generator<void, void> {
    this.#inTable = false;
    const hasShape = mayHaveShape(body);
    if (hasShape && (yield* this.#changesParagraph(body))) return;
    if (hasShape && isRule(body)) {
      yield* this.#blankLine();
      return;
    }
    const marker = hasShape ? this.#markerOf(body) : undefined;
    if (marker) yield* this.#listItem(marker, indent);
    else {
      if (this.#afterBlank && indent < 2) this.#lists.close();
      if (!hasShape || !(yield* this.#opensBlock(body, '', indent))) yield* this.#words(body);
    }
  }

  /** Whether this line underlines a heading or separates a table head from its rows. */
  *#changesParagraph(body: string): Generator<void, boolean> {
    const { last } = this.#paragraph;
    if (last === undefined) return false;
    if (this.#paragraph.isOneLine && this.#marker === '' && isUnderline(body)) {
      this.#paragraph.dropLast();
      yield* this.#heading(last, '');
      return true;
    }
    if (!last.includes('|') || !isTableRule(body)) return false;
    this.#paragraph.dropLast();
    const marker = this.#paragraph.isEmpty ? this.#marker : '';
    yield* this.#endBlock();
    yield* this.#row(last, marker);
    this.#inTable = true;
    return true;
  }

  /** A line that starts with a number may continue a sentence: within a paragraph only 1 starts a list. */
  #markerOf(body: string): ListMarker | undefined {
    const marker = listMarkerOf(body);
    if (marker?.number === undefined) return marker;
    const isProse = !this.#paragraph.isEmpty && !this.#lists.isOpen && marker.number !== 1;
    return isProse || marker.content === '' ? undefined : marker;
  }

  *#listItem({ mark, content }: ListMarker, indent: number): Generator<void, void> {
    yield* this.#endBlock();
    const marker = `${this.#lists.marginAt(indent)}${mark} `;
    if (content === '' || (yield* this.#opensBlock(content, marker, indent + mark.length + 1))) return;
    this.#paragraph.add(content);
    this.#marker = marker;
  }

  *#opensBlock(body: string, marker: string, indent: number): Generator<void, boolean> {
    const fence = CodeFence.open(body, indent);
    const heading = fence ? undefined : headingOf(body);
    if (!fence && heading === undefined) return false;
    yield* this.#endBlock();
    this.#fence = fence;
    this.#marker = marker;
    if (heading !== undefined) yield* this.#heading(heading, marker);
    return true;
  }

  *#words(body: string): Generator<void, void> {
    if (this.#depth === 0 && this.#context.drops(body)) return;
    if (this.#paragraph.isEmpty) this.#marker = '';
    this.#paragraph.add(body);
    if (this.#paragraph.isTooLong) yield* this.#beginParagraph();
  }

  *#beginParagraph(): Generator<void, void> {
    if (!this.#paragraph.hasStarted) this.#startLine(this.#marker);
    yield* this.#inline(this.#paragraph.takeBeginning());
  }

  #startLine(marker: string): void {
    this.#writer.startLine(quoteOf(this.#depth), marker, this.#afterBlank);
    this.#afterBlank = false;
  }

  *#inline(text: string): Generator<void, void> {
    // Behind a line where there is one, because no payment spans lines.
    for (const piece of piecesOf(text, MAX_PIECE_LENGTH, ['\n', ' '])) {
      writeNodes(parseInlineNodes(piece, this.#context), this.#writer);
      yield;
    }
  }

  *#heading(words: string, marker: string): Generator<void, void> {
    this.#startLine(marker);
    this.#writer.open(WHATSAPP_MARK.bold);
    yield* this.#inline(words);
    this.#writer.close(WHATSAPP_MARK.bold);
  }

  *#row(body: string, marker: string): Generator<void, void> {
    this.#startLine(marker);
    this.#writer.startCells();
    for (const [index, cell] of splitTableCells(body).entries()) {
      if (index > 0) this.#writer.nextCell();
      yield* this.#inline(cell);
    }
  }

  *#endBlock(): Generator<void, void> {
    this.#inTable = false;
    const [fence, paragraph] = [this.#fence, this.#paragraph];
    this.#fence = undefined;
    if (fence) this.#endCode(fence);
    if (paragraph.isEmpty) return;
    if (!paragraph.hasStarted) this.#startLine(this.#marker);
    yield* this.#inline(paragraph.takeRest());
  }

  #writeCode(fence: CodeFence): void {
    if (!fence.hasStarted) this.#startLine(this.#marker);
    for (const line of fence.takeLines()) this.#writer.verbatim(line);
  }

  #endCode(fence: CodeFence): void {
    if (fence.isEmpty) return;
    const payment = fence.hasStarted ? undefined : paymentOf(fence.code, this.#context);
    if (payment) {
      this.#startLine(this.#marker);
      this.#writer.item(payment);
    } else {
      this.#writeCode(fence);
      this.#writer.verbatim(fence.ticks);
    }
  }
}

function writeRun({ closes, opens, sign, length }: MarkRun, writer: MessageWriter): void {
  for (const mark of closes) writer.close(mark);
  if (length > 0) writer.write(sign.repeat(length));
  for (let at = opens.length - 1; at >= 0; at--) writer.open(opens.charAt(at));
}

function writeNodes(nodes: readonly InlineNode[], writer: MessageWriter): void {
  for (const node of nodes) {
    if (node === LINE_BREAK) writer.lineBreak();
    else if (typeof node === 'string') writer.write(node);
    else if (node.kind === 'item') writer.item(node.item);
    else writeRun(node, writer);
  }
}
