import { type Block, blocksOf } from './blocks.ts';
import { sentencesOf } from './sentences.ts';

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
  readonly asked: string | undefined;
  /** the sentence that introduces the list or table of this unit */
  readonly lead: Unit | undefined;
}

const MAX_ITEM_LENGTH = 300;
// "Telefone: …" or "**Prazo:** …" at the start of a line starts a new entry even without a full stop before it.
const label = /^(?:[*_]{0,3})\p{Lu}[^.!?:]{0,40}:/u;
const faqPrefix = /^(?:[*_]*)(?:pergunta|resposta|p|r)\s*:(?:[*_]*)\s*/i;

/** Joins wrapped lines of a sentence and keeps separate entries apart. */
function entriesOf(lines: readonly string[]): string[] {
  const entries: string[][] = [];
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1] ?? '';
    const isApart = /[.:;!?][*_]*$/.test(before) || label.test(line) || label.test(before);
    const open = entries.at(-1);
    if (open && !isApart) open.push(line);
    else entries.push([line]);
  }
  return entries.map(entry => entry.join(' '));
}

class UnitReader {
  readonly units: Unit[] = [];
  private headings: { level: number; text: string }[] = [];
  private asked: string | undefined;
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
    else this.readEntry(block);
  }

  private add(kind: Unit['kind'], text: string, lead?: Unit, marker = ''): Unit {
    const headings = this.headings.map(heading => heading.text);
    const { passage, group, asked } = this;
    const unit: Unit = { text, kind, marker, passage, group, headings, asked, lead };
    this.units.push(unit);
    return unit;
  }

  private readHeading(level: number, text: string): void {
    this.headings = this.headings.filter(heading => heading.level < level);
    this.beginGroup(undefined);
    this.asked = undefined;
    if (text.endsWith('?')) this.asked = text;
    else this.add('heading', text);
    this.headings.push({ level, text });
    this.lead = undefined;
  }

  private readParagraph(lines: readonly string[]): void {
    this.beginGroup(undefined);
    for (const sentence of entriesOf(lines).flatMap(sentencesOf)) {
      const text = sentence.replace(faqPrefix, '');
      if (/\?["”*_]*$/.test(text)) this.asked = text;
      else this.lead = this.add('sentence', text);
    }
  }

  private readEntry(block: Extract<Block, { kind: 'item' | 'row' }>): void {
    if (this.listKind !== block.kind) this.beginGroup(block.kind);
    const lead = this.lead?.text.replace(/(?<![*_])[*_]+$/, '').endsWith(':') ? this.lead : undefined;
    if (block.kind === 'row') return void this.add('row', block.text, lead);
    this.parents = this.parents.filter(parent => parent.indent < block.indent);
    const owner = this.parents.at(-1)?.unit ?? lead;
    const sentences = block.text.length > MAX_ITEM_LENGTH ? sentencesOf(block.text) : [block.text];
    const [first = '', ...rest] = sentences;
    const unit = this.add('item', first, owner, block.marker);
    for (const sentence of rest) this.add('sentence', sentence, unit);
    this.parents.push({ indent: block.indent, unit });
  }

  private beginGroup(kind: 'item' | 'row' | undefined): void {
    this.group += 1;
    this.listKind = kind;
    this.parents = [];
  }
}

export function unitsOf(passages: readonly string[]): Unit[] {
  return passages.flatMap((passage, index) => {
    const reader = new UnitReader(index);
    for (const block of blocksOf(passage)) reader.read(block);
    return reader.units;
  });
}
