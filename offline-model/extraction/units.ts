import { splitIntoSentences } from '../../text/sentences.ts';
import { type Block, parseBlocks } from './blocks.ts';

/** A part of a passage that can be an answer or a part of one, with its context. */
export interface Unit {
  readonly text: string;
  readonly kind: 'heading' | 'sentence' | 'item' | 'row';
  readonly marker: string;
  readonly passage: number;
  /** units of the same paragraph, list or table share it */
  readonly group: number;
  readonly headings: readonly string[];
  /** the FAQ question that this unit answers */
  readonly faqQuestion: string | undefined;
  /** the sentence that introduces the list or table of this unit */
  readonly lead: Unit | undefined;
}

/** Characters. Longer list items are split into sentences, because an answer has 600. */
const MAX_ITEM_LENGTH = 300;
// "Telefone: …" or "**Prazo:** …" at the start of a line starts a new entry even without a full stop before it.
const labelledLine = /^(?:[*_]{0,3})\p{Lu}[^.!?:]{0,40}:/u;
const faqPrefix = /^(?:[*_]*)(?:pergunta|resposta|p|r)\s*:(?:[*_]*)\s*/i;

/** Joins wrapped lines of a sentence and keeps separate entries apart. */
function joinWrappedLines(lines: readonly string[]): string[] {
  const entries: string[][] = [];
  for (const [index, line] of lines.entries()) {
    const previous = lines[index - 1] ?? '';
    const isSeparateEntry =
      /[.:;!?][*_]*$/.test(previous) || labelledLine.test(line) || labelledLine.test(previous);
    const current = entries.at(-1);
    if (current && !isSeparateEntry) current.push(line);
    else entries.push([line]);
  }
  return entries.map(entry => entry.join(' '));
}

class UnitReader {
  readonly units: Unit[] = [];
  private headings: { level: number; text: string }[] = [];
  private faqQuestion: string | undefined;
  private lead: Unit | undefined;
  private parents: { indent: number; unit: Unit }[] = [];
  private group = 0;
  private listKind: 'item' | 'row' | undefined;
  private readonly passage: number;

  constructor(passage: number) {
    this.passage = passage;
  }

  read(block: Block): void {
    if (block.kind === 'heading') this.readHeading(block.level, block.text);
    else if (block.kind === 'paragraph') this.readParagraph(block.lines);
    else this.readListEntry(block);
  }

  private add(kind: Unit['kind'], text: string, lead?: Unit, marker = ''): Unit {
    const headings = this.headings.map(heading => heading.text);
    const { passage, group, faqQuestion } = this;
    const unit: Unit = { text, kind, marker, passage, group, headings, faqQuestion, lead };
    this.units.push(unit);
    return unit;
  }

  private readHeading(level: number, text: string): void {
    this.headings = this.headings.filter(heading => heading.level < level);
    this.beginGroup(undefined);
    this.faqQuestion = undefined;
    if (text.endsWith('?')) this.faqQuestion = text;
    else this.add('heading', text);
    this.headings.push({ level, text });
    this.lead = undefined;
  }

  private readParagraph(lines: readonly string[]): void {
    this.beginGroup(undefined);
    for (const sentence of joinWrappedLines(lines).flatMap(splitIntoSentences)) {
      const text = sentence.replace(faqPrefix, '');
      if (/\?["”*_]*$/.test(text)) this.faqQuestion = text;
      else this.lead = this.add('sentence', text);
    }
  }

  private readListEntry(block: Extract<Block, { kind: 'item' | 'row' }>): void {
    if (this.listKind !== block.kind) this.beginGroup(block.kind);
    const lead = this.lead?.text.replace(/(?<![*_])[*_]+$/, '').endsWith(':') ? this.lead : undefined;
    if (block.kind === 'row') return void this.add('row', block.text, lead);
    this.parents = this.parents.filter(parent => parent.indent < block.indent);
    const introduction = this.parents.at(-1)?.unit ?? lead;
    const sentences = block.text.length > MAX_ITEM_LENGTH ? splitIntoSentences(block.text) : [block.text];
    const [first = '', ...others] = sentences;
    const unit = this.add('item', first, introduction, block.marker);
    for (const sentence of others) this.add('sentence', sentence, unit);
    this.parents.push({ indent: block.indent, unit });
  }

  private beginGroup(kind: 'item' | 'row' | undefined): void {
    this.group += 1;
    this.listKind = kind;
    this.parents = [];
  }
}

export function splitIntoUnits(passages: readonly string[]): Unit[] {
  return passages.flatMap((passage, index) => {
    const reader = new UnitReader(index);
    for (const block of parseBlocks(passage)) reader.read(block);
    return reader.units;
  });
}
