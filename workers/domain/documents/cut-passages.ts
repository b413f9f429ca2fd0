import { splitText } from '../../../text/pieces.ts';
import { type Block, type DocumentText, lengthOf, maxCharactersOf, RULE } from './block.ts';
import { tableTextsOf } from './table-text.ts';

/*
 * Cuts a document into passages along its own structure. A passage begins with the path of its headings, and holds
 * paragraphs and tables of one section and one place (a page of a PDF, a page of a site). It is closed when it is full
 * enough to answer a question; a table is split only where it is longer than a passage may be.
 *
 * No word is lost: a heading that stands in the path of no passage is an item of a list under its parent, and one that is too
 * long for a path is a paragraph.
 *
 * A change of the document so changes the passages of its own section and place only: the others stay as they are, word for
 * word, and keep their ids when the document is imported again.
 */

export interface Passage {
  readonly content: string;
  /** The page, or the path of its headings; empty if the document has neither. */
  readonly place: string;
  /** Further places that have the same. */
  readonly alsoIn?: readonly string[];
}

export interface CutOptions {
  /** The path of text that stands under no heading. */
  readonly name: string;
  /** The limit of the content of a passage, in UTF-16 units, which are never fewer than its characters. */
  readonly limit: number;
  /** The greatest number of passages, counting equal ones each. */
  readonly most: number;
}

/** A passage with this many units of text is closed at the next end of a paragraph. */
const FULL = 1_200;
/** A longer text that ends with a question is a statement itself. */
const MAX_LEAD_IN = 200;
/** The path takes at most this part of a passage. */
const PATH_SHARE = 1 / 4;
const MAX_PATH = 300;
const SEPARATOR = ' > ';

/**
 * Returns the passages in the order of the document; of equal ones the first. Undefined if there are more than `most`, or if
 * repeated text makes them far longer than the document. Yields after each block and row, so that the caller can pause.
 */
export function* cutPassages(
  { blocks }: DocumentText,
  { name, limit, most }: CutOptions,
): Generator<void, Passage[] | undefined> {
  const passages = new Map<string, { content: string; place: string; alsoIn?: string[] }>();
  const section = makeSection({ name, limit });
  let [made, length, documentLength] = [0, 0, 0];
  const isKept = (passage: Passage | undefined): boolean => {
    if (!passage) return true;
    made += 1;
    length += passage.content.length;
    const same = passages.get(passage.content);
    if (!same) passages.set(passage.content, { content: passage.content, place: passage.place });
    else if (passage.place !== same.place) (same.alsoIn ??= []).push(passage.place);
    return made <= most && length <= maxCharactersOf(documentLength);
  };
  for (const block of blocks) {
    documentLength += lengthOf(block);
    for (const passage of section.add(block)) {
      if (!isKept(passage)) return undefined;
      yield;
    }
    yield;
  }
  for (const passage of section.end()) if (!isKept(passage)) return undefined;
  return [...passages.values()];
}

interface Heading {
  readonly level: number;
  readonly text: string;
  readonly place: string | undefined;
  /** Whether the heading stands in a passage. */
  isTold: boolean;
}

interface Held {
  readonly head: string;
  readonly place: string;
  /** Whether it is a list of headings that no text follows. */
  readonly isList: boolean;
  readonly texts: string[];
  length: number;
}

function makeSection({ name, limit }: Omit<CutOptions, 'most'>) {
  const longestPath = Math.max(Math.min(MAX_PATH, Math.floor(limit * PATH_SHARE)), 1);
  const nameInPath = splitText(oneLine(name), longestPath).next().value ?? '';
  const headings: Heading[] = [];
  // The path is made once for each heading: a document has far more paragraphs.
  let path = pathOf(headings, longestPath);
  let held: Held | undefined;
  const head = () => `## ${path.text || nameInPath}\n\n`;
  const room = () => Math.max(limit - head().length, 1);

  function close(): Passage | undefined {
    const { texts = [], head: begin = '', place = '' } = held ?? {};
    held = undefined;
    return texts.every(text => text === RULE) ? undefined : { content: begin + texts.join('\n\n'), place };
  }

  function* hold(text: string, place: string | undefined, isList = false): Generator<Passage | undefined> {
    const next = { head: head(), place: place ?? path.whole, isList };
    const isSame = held?.head === next.head && held.place === next.place && held.isList === isList;
    const isTooMuch = held && held.length + text.length > Math.min(room(), 2 * FULL);
    const leadIn = held && isSame && isTooMuch ? takeLeadIn(held, room() - text.length) : [];
    if (!isSame || isTooMuch) yield close();
    held ??= { ...next, texts: [], length: 0 };
    held.texts.push(...leadIn, text);
    held.length += [...leadIn, text].join('\n\n').length + 2;
    if (text !== RULE) for (const heading of path.told) heading.isTold = true;
    if (held.length >= FULL && !isLeadIn(text)) yield close();
  }

  /** Ends the sections of this level and below. */
  function* endSections(level: number): Generator<Passage | undefined> {
    if (!held?.isList) yield close();
    while ((headings.at(-1)?.level ?? -1) >= level) {
      const ended = headings.pop();
      path = pathOf(headings, longestPath);
      if (!ended || ended.isTold) continue;
      for (const text of splitText(`- ${ended.text}`, room())) yield* hold(text, ended.place, true);
    }
  }

  function* addHeading(block: Extract<Block, { kind: 'heading' }>): Generator<Passage | undefined> {
    const text = oneLine(block.text);
    yield* endSections(block.level);
    if (text.length > longestPath) return yield* addText({ ...block, text });
    if (text !== '') headings.push({ level: block.level, text, place: block.place, isTold: false });
    path = pathOf(headings, longestPath);
  }

  function* addText(block: Block): Generator<Passage | undefined> {
    const texts = block.kind === 'table' ? tableTextsOf(block, room()) : splitText(block.text, room());
    for (const text of texts) {
      if (text === undefined) yield undefined;
      else yield* hold(text, block.place);
    }
  }

  /** Yields the passages that the block closes; undefined after a part of it that closes none. */
  function* add(block: Block): Generator<Passage | undefined> {
    if (block.kind === 'heading') return yield* addHeading(block);
    if (block.kind === 'entry') yield close();
    yield* addText(block);
    if (block.kind === 'entry') yield close();
  }

  function* end(): Generator<Passage | undefined> {
    yield* endSections(0);
    yield close();
  }

  return { add, end };
}

/** Takes a final question, or a text that ends with a colon, out of a full passage: it goes with the next text. */
function takeLeadIn({ texts }: Held, room: number): string[] {
  const last = texts.at(-1) ?? '';
  const isTaken = texts.length > 1 && isLeadIn(last) && last.length + 2 <= room;
  return isTaken ? texts.splice(-1) : [];
}

function isLeadIn(text: string): boolean {
  return text.length <= MAX_LEAD_IN && /[?:][*_]*$/.test(text);
}

/** Returns the path of the headings. A path that is too long loses the outer ones, because the inner ones say more. */
function pathOf(headings: readonly Heading[], longest: number) {
  const textOf = (some: readonly Heading[]) => some.map(({ text }) => text).join(SEPARATOR);
  let told = [...headings];
  while (told.length > 1 && textOf(told).length > longest) told = told.slice(1);
  return { told, text: textOf(told), whole: textOf(headings) };
}

function oneLine(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}
