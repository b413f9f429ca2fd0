import { type Document, type Element, isTag } from 'domhandler';
import { getElementsByTagName } from 'domutils';
import { Parser, parseDocument } from 'htmlparser2';

/*
 * Word computes the numbers of paragraphs ("Art. 2º", "II –", "1.2") when it shows them: a paragraph has only the name of its
 * list, and the list has their form. mammoth drops them, so they are written into the paragraphs before it reads these; such a
 * paragraph is then no longer an item of a list. Bullets stay unchanged.
 */

interface Level {
  readonly start: number;
  readonly format: string;
  /** `%1` is the number of the first level. */
  readonly text: string;
  readonly style: string | undefined;
  readonly isLegal: boolean;
  readonly isRestarted: boolean;
}

interface List {
  readonly abstractId: string;
  readonly starts: ReadonlyMap<number, number>;
  readonly levels: ReadonlyMap<number, Level>;
}

interface Style {
  readonly listId: string | undefined;
  readonly level: string | undefined;
  readonly basedOn: string | undefined;
}

interface Paragraph {
  style?: string;
  listId?: string;
  level?: string;
  hasText: boolean;
  /** `end` is where the paragraph's properties end, `list` where its list properties are. */
  end?: readonly [from: number, to: number];
  list?: readonly [from: number, to: number];
}

/** A text that replaces the characters from `from` to `to`. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const NO_LIST = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>';
const MAX_LEVELS = 9;
/** Limits styles that name each other in a circle. */
const MAX_STYLES = 20;
/** Greater numbers are written in digits. */
const MAX_ROMAN = 3_999;
/** A longer number would stand in each paragraph of its list. */
const MAX_NUMBER = 100;

/** Returns the main part of the document with its numbers written out. */
export function tellNumbers(document: string, numbering: string, styles: string): string {
  const read = { xmlMode: true };
  const known = readStyles(parseDocument(styles, read));
  const numberOf = makeCounter(readLists(parseDocument(numbering, read), known), known);
  const edits: Edit[] = [];
  forParagraphs(document, paragraph => {
    const number = numberOf(paragraph);
    const { end, list } = paragraph;
    if (number === undefined || !end) return;
    if (list) edits.push({ from: list[0], to: list[1], text: '' });
    const run = paragraph.hasText ? `<w:r><w:t xml:space="preserve">${escaped(number)} </w:t></w:r>` : '';
    edits.push({ from: end[0], to: end[0], text: NO_LIST }, { from: end[1], to: end[1], text: run });
  });
  const parts: string[] = [];
  let at = 0;
  // A text box stands within a paragraph and ends before it, so the edits are not in order.
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(document.slice(at, from), text);
    at = to;
  }
  return parts.join('') + document.slice(at);
}

/** Hands over each paragraph at its end. Alternatives that only a newer Word shows are passed over, as mammoth does. */
function forParagraphs(document: string, take: (paragraph: Paragraph) => void): void {
  const open: Paragraph[] = [];
  let [passed, changed, listFrom] = [0, 0, 0];
  const parser: Parser = new Parser(
    {
      onopentag(name, attribs) {
        if (name === 'mc:Choice') passed += 1;
        if (passed > 0) return;
        // These properties are older than the tracked change.
        if (name === 'w:pPrChange') changed += 1;
        if (name === 'w:p') open.push({ hasText: false });
        const paragraph = open.at(-1);
        if (!paragraph || changed > 0) return;
        if (name === 'w:t') paragraph.hasText = true;
        if (paragraph.end) return;
        const value = attribs['w:val'] ?? '';
        if (name === 'w:pStyle') paragraph.style = value;
        if (name === 'w:numId') paragraph.listId = value;
        if (name === 'w:ilvl') paragraph.level = value;
        if (name === 'w:numPr') listFrom = parser.startIndex;
      },
      onclosetag(name) {
        if (name === 'mc:Choice') passed -= 1;
        if (passed > 0) return;
        if (name === 'w:pPrChange') changed -= 1;
        const paragraph = open.at(-1);
        if (!paragraph || changed > 0) return;
        const to = parser.endIndex + 1;
        if (name === 'w:numPr') paragraph.list ??= [listFrom, to];
        // Properties without content have no style.
        if (name === 'w:pPr' && document.startsWith('</', parser.startIndex))
          paragraph.end ??= [parser.startIndex, to];
        if (name === 'w:p') take(open.pop() ?? paragraph);
      },
    },
    { xmlMode: true },
  );
  parser.end(document);
}

function makeCounter(lists: ReadonlyMap<string, List>, styles: ReadonlyMap<string, Style>) {
  const counters = new Map<string, (number | undefined)[]>();
  const begun = new Set<string>();
  /** Returns the number as it is shown; undefined where the paragraph has none. */
  return (paragraph: Paragraph): string | undefined => {
    const inherited = inheritedList(paragraph.style, styles);
    const listId = paragraph.listId ?? inherited?.listId;
    const list = lists.get(listId ?? '');
    if (!list) return undefined;
    const at = Number(paragraph.level ?? inherited?.level ?? levelOfStyle(list, inherited?.style) ?? 0);
    const level = list.levels.get(at);
    if (!level) return undefined;
    const counts = counters.get(list.abstractId) ?? [];
    counters.set(list.abstractId, counts);
    const start = list.starts.get(at);
    const isBegun = begun.has(`${listId} ${at}`);
    begun.add(`${listId} ${at}`);
    const before = start !== undefined && !isBegun ? undefined : counts[at];
    counts[at] = before === undefined ? (start ?? level.start) : before + 1;
    for (let below = at + 1; below < MAX_LEVELS; below += 1)
      if (list.levels.get(below)?.isRestarted !== false) counts[below] = undefined;
    if (level.format === 'bullet') return undefined;
    const text = level.text.replace(/%([1-9])/g, (_, digit: string) => {
      const of = list.levels.get(Number(digit) - 1);
      const count = (counts[Number(digit) - 1] ??= of?.start ?? 1);
      return shown(count, level.isLegal ? 'decimal' : (of?.format ?? 'decimal'));
    });
    return text.trim() === '' || text.length > MAX_NUMBER ? undefined : text.trim();
  };
}

function inheritedList(id: string | undefined, styles: ReadonlyMap<string, Style>) {
  let name = id;
  for (let seen = 0; name !== undefined && seen < MAX_STYLES; seen += 1) {
    const style = styles.get(name);
    if (style?.listId !== undefined) return { listId: style.listId, level: style.level, style: id };
    name = style?.basedOn;
  }
  return undefined;
}

function levelOfStyle({ levels }: List, style: string | undefined): number | undefined {
  for (const [at, level] of levels) if (style !== undefined && level.style === style) return at;
  return undefined;
}

function readStyles(xml: Document): Map<string, Style> {
  return new Map(
    getElementsByTagName('w:style', xml).map(style => {
      const list = child(child(style, 'w:pPr'), 'w:numPr');
      return [
        style.attribs['w:styleId'] ?? '',
        {
          listId: valueOf(list, 'w:numId'),
          level: valueOf(list, 'w:ilvl'),
          basedOn: valueOf(style, 'w:basedOn'),
        },
      ];
    }),
  );
}

function readLists(xml: Document, styles: ReadonlyMap<string, Style>): Map<string, List> {
  const forms = new Map<string, { readonly levels: Map<number, Level>; readonly link: string | undefined }>();
  for (const form of getElementsByTagName('w:abstractNum', xml))
    forms.set(form.attribs['w:abstractNumId'] ?? '', {
      levels: new Map(children(form, 'w:lvl').map(readLevel)),
      link: valueOf(form, 'w:numStyleLink'),
    });
  const numbers = getElementsByTagName('w:num', xml);
  const abstractIdOf = (id: string | undefined) =>
    valueOf(
      numbers.find(each => each.attribs['w:numId'] === id),
      'w:abstractNumId',
    ) ?? '';
  return new Map(
    numbers.map(number => {
      const id = number.attribs['w:numId'] ?? '';
      const { link } = forms.get(abstractIdOf(id)) ?? {};
      const abstractId = link === undefined ? abstractIdOf(id) : abstractIdOf(styles.get(link)?.listId);
      const levels = new Map(forms.get(abstractId)?.levels);
      const starts = new Map<number, number>();
      for (const override of children(number, 'w:lvlOverride')) {
        const start = valueOf(override, 'w:startOverride');
        if (start !== undefined) starts.set(Number(override.attribs['w:ilvl']), Number(start));
        for (const level of children(override, 'w:lvl')) levels.set(...readLevel(level));
      }
      return [id, { abstractId, starts, levels }];
    }),
  );
}

function readLevel(level: Element): [number, Level] {
  const legal = child(level, 'w:isLgl');
  return [
    Number(level.attribs['w:ilvl'] ?? 0),
    {
      start: Number(valueOf(level, 'w:start') ?? 1),
      format: valueOf(level, 'w:numFmt') ?? 'decimal',
      text: valueOf(level, 'w:lvlText') ?? '',
      style: valueOf(level, 'w:pStyle'),
      isLegal: legal !== undefined && !/^(?:0|false|off)$/.test(legal.attribs['w:val'] ?? ''),
      isRestarted: valueOf(level, 'w:lvlRestart') !== '0',
    },
  ];
}

export function shown(count: number, format: string): string {
  if (format === 'upperRoman') return romanOf(count);
  if (format === 'lowerRoman') return romanOf(count).toLowerCase();
  if (format === 'upperLetter') return lettersOf(count);
  if (format === 'lowerLetter') return lettersOf(count).toLowerCase();
  if (format === 'ordinal') return `${count}º`;
  if (format === 'decimalZero') return String(count).padStart(2, '0');
  return format === 'none' ? '' : String(count);
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1_000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function romanOf(count: number): string {
  if (count < 1 || count > MAX_ROMAN) return String(count);
  let [rest, text] = [count, ''];
  for (const [value, letters] of ROMAN) for (; rest >= value; rest -= value) text += letters;
  return text;
}

/** Counts as Word does: A to Z, then AA, BB. */
function lettersOf(count: number): string {
  if (count < 1 || count > MAX_ROMAN) return String(count);
  return String.fromCharCode(65 + ((count - 1) % 26)).repeat(Math.ceil(count / 26));
}

function children(element: Element | undefined, name: string): Element[] {
  return element?.children.filter(isTag).filter(each => each.name === name) ?? [];
}

function child(element: Element | undefined, name: string): Element | undefined {
  return children(element, name)[0];
}

function valueOf(element: Element | undefined, name: string): string | undefined {
  return child(element, name)?.attribs['w:val'];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
