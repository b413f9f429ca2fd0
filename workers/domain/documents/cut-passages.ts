import type { Block, DocumentText } from './block.ts';
import { splitText } from './split-text.ts';
import { tableTextsOf } from './table-text.ts';

/*
 * Cuts a document into passages along its own structure. A passage begins with the path of its headings, and holds
 * paragraphs and tables of one section and one place (a page of a PDF, a page of a site). It is closed when it is full
 * enough to answer a question; a table is split only where it is longer than a passage may be.
 *
 * A change of the document so changes the passages of its own section and place only: the others stay as they are, word for
 * word, and keep their ids when the document is imported again.
 */

export interface Passage {
  readonly content: string;
  /** Where it stands: the page, or the path of its headings; empty where the document has neither. */
  readonly place: string;
}

export interface CutOptions {
  /** The path of what stands under no heading. */
  readonly name: string;
  /** Of the content of a passage, in UTF-16 units, which are never fewer than its characters. */
  readonly limit: number;
  /** No more passages than one above it are made. */
  readonly most: number;
}

/** Units of text from which on a passage is closed at the next end of a paragraph. */
const FULL = 1_200;
/** The path takes at most this part of a passage. */
const PATH_SHARE = 1 / 4;
const MAX_PATH = 300;
const SEPARATOR = ' > ';

/** The passages in the order of the document; of equal ones the first. Yields after each block, so that the caller can pause. */
export function* cutPassages(
  { frontMatter = '', blocks }: DocumentText,
  { name, limit, most }: CutOptions,
): Generator<void, Passage[]> {
  const passages = new Map<string, Passage>();
  const section = makeSection({ name, limit: limit - frontMatter.length });
  for (const block of blocks) {
    if (passages.size > most) break;
    for (const { content, place } of section.add(block)) keep(frontMatter + content, place);
    yield;
  }
  for (const { content, place } of section.close()) keep(frontMatter + content, place);
  return [...passages.values()];

  function keep(content: string, place: string): void {
    if (!passages.has(content)) passages.set(content, { content, place });
  }
}

function makeSection({ name, limit }: Omit<CutOptions, 'most'>) {
  const headings: { readonly level: number; readonly text: string }[] = [];
  let held: string[] = [];
  let place: string | undefined;
  const path = () => headings.map(({ text }) => text).join(SEPARATOR);
  const headOf = (whole: string) =>
    `## ${shortenPath(whole || name, Math.min(MAX_PATH, limit * PATH_SHARE))}\n\n`;
  // Made once a heading: a document has far more paragraphs.
  let head = headOf('');
  const heldLength = () => held.reduce((sum, text) => sum + text.length + 2, 0);
  const room = () => Math.max(limit - head.length, 1);

  function close(): Passage[] {
    if (held.length === 0) return [];
    const passage = { content: head + held.join('\n\n'), place: place ?? path() };
    held = [];
    return [passage];
  }

  function openHeading({ level, text }: Extract<Block, { kind: 'heading' }>): void {
    while ((headings.at(-1)?.level ?? -1) >= level) headings.pop();
    headings.push({ level, text });
    head = headOf(path());
  }

  function addText(text: string): Passage[] {
    const isTooMuch = held.length > 0 && heldLength() + text.length > Math.min(room(), 2 * FULL);
    const closed = isTooMuch ? close() : [];
    held.push(text);
    return heldLength() >= FULL ? [...closed, ...close()] : closed;
  }

  return {
    close,
    /** The passages that the block closes. */
    add(block: Block): Passage[] {
      const isElsewhere = block.place !== place || block.kind === 'heading' || block.kind === 'entry';
      const closed = isElsewhere ? close() : [];
      place = block.place;
      if (block.kind === 'heading') {
        // What calls itself a heading may be a book.
        const text = oneLine(block.text.slice(0, MAX_PATH));
        if (text !== '') openHeading({ ...block, text });
        return closed;
      }
      const texts = block.kind === 'table' ? tableTextsOf(block, room()) : splitText(block.text, room());
      for (const text of texts) closed.push(...addText(text));
      return block.kind === 'entry' ? [...closed, ...close()] : closed;
    },
  };
}

function oneLine(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}

/** Without the outer headings where it is too long: the inner ones say more. */
function shortenPath(path: string, limit: number): string {
  let short = oneLine(path);
  while (short.length > limit && short.includes(SEPARATOR))
    short = short.slice(short.indexOf(SEPARATOR) + SEPARATOR.length);
  return short.length > limit ? (splitText(short, Math.max(limit, 1))[0] ?? '') : short;
}
