import { piecesOf } from '../../../text/pieces.ts';
import { CodeFence } from './code-fence.ts';
import { parseInlineNodes } from './inline-reader.ts';
import {
  headingOf,
  indentOf,
  isRule,
  isTableRule,
  isUnderline,
  ListLevels,
  type ListMarker,
  listMarkerOf,
  mayHaveShape,
  splitQuoteMarks,
  splitTableCells,
  withBoxSign,
} from './line-shape.ts';
import { MessageWriter } from './message-writer.ts';
import { MAX_PIECE_LENGTH, Paragraph } from './paragraph.ts';
import type { ParseContext } from './parse-context.ts';
import { paymentOf } from './payment.ts';
import { type InlineNode, LINE_BREAK, type MarkRun, WHATSAPP_MARK, type WppItem } from './wpp-item.ts';

/** The quote mark is repeated after each image and link of the line, so its length must be bounded. */
const MAX_QUOTE_DEPTH = 10;

function quoteOf(depth: number): string {
  return '> '.repeat(Math.min(depth, MAX_QUOTE_DEPTH));
}

/** Shorter texts are read and written in one step: a step for each line would take longer than its work. */
export const MAX_LENGTH_AT_ONCE = 2_000;

/** The marks before the first words of a block. */
interface LineStart {
  quote: string;
  marker: string;
  isAfterBlank: boolean;
}

/** Writes a block, a step for each piece of it. */
type Writing = Generator<void, void>;

/**
 * Assigns each line of the answer to a block. States: in a fence (code until it closes), in a table (lines with a
 * bar are rows), otherwise in a paragraph, which may be empty. A paragraph is buffered until the line that ends it
 * is known, because that line may turn it into a heading, or its last line into a table head. Lines are read at once;
 * only the writing of a long block has steps.
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
  /** The open fence whose lines are Markdown instead of code. */
  #markdownFence: CodeFence | undefined;
  #inTable = false;
  #unwritten: Writing[] = [];

  constructor(context: ParseContext) {
    this.#context = context;
  }

  /** Reads a line. If it leaves blocks unwritten, they must be written before the next line is read. */
  line(raw: string): void {
    // Inside a fence, an additional `>` is code.
    const most = this.#fence ? this.#depth : Number.POSITIVE_INFINITY;
    const { depth, rest } = splitQuoteMarks(raw, most);
    if (depth !== this.#depth) {
      this.#endBlock();
      this.#lists.close();
      this.#depth = depth;
    }
    const body = rest.trim();
    if (this.#fence) this.#codeLine(this.#fence, rest, body);
    else if (this.#markdownFence?.isClosedBy(body)) this.#endMarkdownFence();
    else if (body === '') this.#blankLine();
    else if (this.#inTable && body.includes('|')) this.#row(body, '');
    else this.#bodyLine(body, indentOf(rest));
  }

  *write(): Writing {
    for (const writing of this.#unwritten) yield* writing;
    this.#unwritten = [];
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.length > 0;
  }

  *finish(): Generator<void, WppItem[]> {
    this.#endBlock();
    yield* this.write();
    return this.#writer.finish();
  }

  #codeLine(fence: CodeFence, line: string, body: string): void {
    if (fence.isClosedBy(body)) this.#endBlock();
    else {
      fence.add(line);
      if (fence.heldLength > MAX_PIECE_LENGTH) this.#writeCode(fence);
    }
  }

  #endMarkdownFence(): void {
    this.#blankLine();
    this.#markdownFence = undefined;
  }

  #blankLine(): void {
    this.#endBlock();
    this.#afterBlank = true;
  }

  #bodyLine(body: string, indent: number): void {
    this.#inTable = false;
    const hasShape = mayHaveShape(body);
    if (hasShape && this.#changesParagraph(body)) return;
    if (hasShape && isRule(body)) {
      this.#blankLine();
      return;
    }
    const marker = hasShape ? this.#markerOf(body) : undefined;
    if (marker) this.#listItem(marker, indent);
    else {
      if (this.#afterBlank && indent < 2) this.#lists.close();
      if (!hasShape || !this.#opensBlock(body, '', indent)) this.#words(body);
    }
  }

  /** Whether this line underlines a heading or separates a table head from its rows. */
  #changesParagraph(body: string): boolean {
    const { last } = this.#paragraph;
    if (last === undefined) return false;
    if (this.#paragraph.isOneLine && this.#marker === '' && isUnderline(body)) {
      this.#paragraph.dropLast();
      this.#heading(last, '');
      return true;
    }
    if (!last.includes('|') || !isTableRule(body)) return false;
    this.#paragraph.dropLast();
    const marker = this.#paragraph.isEmpty ? this.#marker : '';
    this.#endBlock();
    this.#row(last, marker);
    this.#inTable = true;
    return true;
  }

  /** Within a paragraph only the number 1 starts a list: another number may continue a sentence. */
  #markerOf(body: string): ListMarker | undefined {
    const marker = listMarkerOf(body);
    if (marker?.number === undefined) return marker;
    const isProse = !this.#paragraph.isEmpty && !this.#lists.isOpen && marker.number !== 1;
    return isProse || marker.content === '' ? undefined : marker;
  }

  #listItem({ mark, content }: ListMarker, indent: number): void {
    this.#endBlock();
    const marker = `${this.#lists.marginAt(indent)}${mark} `;
    if (content === '' || this.#opensBlock(content, marker, indent + mark.length + 1)) return;
    this.#paragraph.add(withBoxSign(content));
    this.#marker = marker;
  }

  #opensBlock(body: string, marker: string, indent: number): boolean {
    const fence = CodeFence.open(body, indent);
    if (fence?.isMarkdown && marker === '' && !this.#markdownFence) {
      this.#blankLine();
      this.#markdownFence = fence;
      return true;
    }
    const heading = fence ? undefined : headingOf(body);
    if (!fence && heading === undefined) return false;
    this.#endBlock();
    this.#fence = fence;
    this.#marker = marker;
    if (heading !== undefined) this.#heading(heading, marker);
    return true;
  }

  #words(body: string): void {
    if (this.#depth === 0 && this.#context.drops(body)) return;
    if (this.#paragraph.isEmpty) this.#marker = '';
    this.#paragraph.add(body);
    if (!this.#paragraph.isTooLong) return;
    const start = this.#paragraph.hasStarted ? undefined : this.#takeStart(this.#marker);
    const beginning = this.#paragraph.takeBeginning();
    this.#write(beginning.length, this.#writeWords(start, beginning));
  }

  #endBlock(): void {
    this.#inTable = false;
    const [fence, paragraph] = [this.#fence, this.#paragraph];
    this.#fence = undefined;
    if (fence) this.#endCode(fence);
    if (paragraph.isEmpty) return;
    const start = paragraph.hasStarted ? undefined : this.#takeStart(this.#marker);
    const rest = paragraph.takeRest();
    this.#write(rest.length, this.#writeWords(start, rest));
  }

  #heading(words: string, marker: string): void {
    this.#write(words.length, this.#writeHeading(this.#takeStart(marker), words));
  }

  #row(body: string, marker: string): void {
    this.#write(body.length, this.#writeRow(this.#takeStart(marker), body));
  }

  /** Writes a short block at once; a long one waits, and with it what follows in the same line. */
  #write(length: number, writing: Writing): void {
    if (length > MAX_LENGTH_AT_ONCE || this.hasUnwritten) this.#unwritten.push(writing);
    else while (!writing.next().done);
  }

  #endCode(fence: CodeFence): void {
    if (fence.isEmpty) return;
    const payment = fence.hasStarted ? undefined : paymentOf(fence.code, this.#context);
    if (payment) {
      this.#startLine(this.#takeStart(this.#marker));
      this.#writer.item(payment);
    } else {
      this.#writeCode(fence);
      this.#writer.verbatim(fence.ticks);
    }
  }

  /** Writes code at once, because nothing complete stands before an open fence. */
  #writeCode(fence: CodeFence): void {
    if (!fence.hasStarted) this.#startLine(this.#takeStart(this.#marker));
    for (const line of fence.takeLines()) this.#writer.verbatim(line);
  }

  #takeStart(marker: string): LineStart {
    const start = { quote: quoteOf(this.#depth), marker, isAfterBlank: this.#afterBlank };
    this.#afterBlank = false;
    return start;
  }

  #startLine({ quote, marker, isAfterBlank }: LineStart): void {
    this.#writer.startLine(quote, marker, isAfterBlank);
  }

  /** Writes a paragraph or a part of it; only its first part has a start. */
  *#writeWords(start: LineStart | undefined, text: string): Writing {
    if (start) this.#startLine(start);
    for (const piece of inlinePiecesOf(text)) {
      this.#inline(piece);
      yield;
    }
  }

  /** Writes a heading in bold, unless a star of its words would end that. */
  *#writeHeading(start: LineStart, words: string): Writing {
    this.#startLine(start);
    let isBold: boolean | undefined;
    for (const piece of inlinePiecesOf(words)) {
      const nodes = parseInlineNodes(piece, this.#context);
      isBold ??= !nodes.some(isLoneStar);
      if (isBold) this.#writer.open(WHATSAPP_MARK.bold);
      writeNodes(nodes, this.#writer);
      if (isBold) this.#writer.close(WHATSAPP_MARK.bold);
      yield;
    }
  }

  *#writeRow(start: LineStart, body: string): Writing {
    this.#startLine(start);
    this.#writer.startCells();
    let isFirst = true;
    for (const cell of splitTableCells(body)) {
      if (!isFirst) this.#writer.nextCell();
      isFirst = false;
      for (const piece of inlinePiecesOf(cell)) {
        this.#inline(piece);
        yield;
      }
    }
  }

  #inline(text: string): void {
    writeNodes(parseInlineNodes(text, this.#context), this.#writer);
  }
}

/** Cuts after a line if possible, because no payment spans lines. */
function inlinePiecesOf(text: string): Iterable<string> {
  return text.length > MAX_PIECE_LENGTH ? piecesOf(text, MAX_PIECE_LENGTH, ['\n', ' ']) : [text];
}

function writeRun({ closes, opens, sign, length, isBeforeWord }: MarkRun, writer: MessageWriter): void {
  for (const mark of closes) writer.close(mark);
  if (isBeforeWord) writer.write(' ');
  if (length > 0) writer.write(sign.repeat(length));
  for (let at = opens.length - 1; at >= 0; at--) writer.open(opens.charAt(at));
}

/** A star beside a blank or an edge would close the bold of a heading, or open another. */
const EDGE_STAR = /(?:^|\s)\*|\*(?:\s|$)/;

function isLoneStar(node: InlineNode): boolean {
  if (typeof node === 'string') return EDGE_STAR.test(node);
  return node.kind === 'run' && node.sign === '*' && node.length > 0;
}

function writeNodes(nodes: readonly InlineNode[], writer: MessageWriter): void {
  for (const node of nodes) {
    if (node === LINE_BREAK) writer.lineBreak();
    else if (typeof node === 'string') writer.write(node);
    else if (node.kind === 'item') writer.item(node.item);
    else writeRun(node, writer);
  }
}
