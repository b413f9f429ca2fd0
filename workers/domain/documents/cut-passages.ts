import { splitText } from '../../../text/pieces.ts';
import { type Block, type DocumentText, lengthOf, mostCharactersOf, RULE } from './block.ts';
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
  /** The limit of the content of a passage, in UTF-16 units, which are never fewer than its characters. */
  readonly limit: number;
  /** The greatest number of passages, equal ones counted each. */
  readonly most: number;
}

/** Units of text from which on a passage is closed at the next end of a paragraph. */
const FULL = 1_200;
/** The path takes at most this part of a passage. */
const PATH_SHARE = 1 / 4;
const MAX_PATH = 300;
const SEPARATOR = ' > ';

/**
 * The passages in the order of the document; of equal ones the first. Undefined where there are more than `most`, or where
 * what is repeated in them makes them far longer than the document. Yields after each block and row, so that the caller can pause.
 */
export function* cutPassages(
  { frontMatter = '', blocks }: DocumentText,
  { name, limit, most }: CutOptions,
): Generator<void, Passage[] | undefined> {
  const passages = new Map<string, Passage>();
  const section = makeSection({ name, limit: limit - frontMatter.length });
  let [made, length, documentLength] = [0, 0, frontMatter.length];
  const isKept = (passage: Passage | undefined): boolean => {
    if (!passage) return true;
    const content = frontMatter + passage.content;
    made += 1;
    length += content.length;
    if (!passages.has(content)) passages.set(content, { content, place: passage.place });
    return made <= most && length <= mostCharactersOf(documentLength);
  };
  for (const block of blocks) {
    documentLength += lengthOf(block);
    for (const passage of section.add(block)) {
      if (!isKept(passage)) return undefined;
      yield;
    }
    yield;
  }
  return isKept(section.close()) ? [...passages.values()] : undefined;
}

function makeSection({ name, limit }: Omit<CutOptions, 'most'>) {
  const headings: { readonly level: number; readonly text: string }[] = [];
  let held: string[] = [];
  let heldLength = 0;
  let place: string | undefined;
  const path = () => headings.map(({ text }) => text).join(SEPARATOR);
  const headOf = (whole: string) =>
    `## ${shortenPath(whole || name, Math.min(MAX_PATH, limit * PATH_SHARE))}\n\n`;
  // Made once a heading: a document has far more paragraphs.
  let head = headOf('');
  const room = () => Math.max(limit - head.length, 1);

  function close(): Passage | undefined {
    if (held.every(text => text === RULE)) held = [];
    if (held.length === 0) return undefined;
    const passage = { content: head + held.join('\n\n'), place: place ?? path() };
    held = [];
    heldLength = 0;
    return passage;
  }

  function openHeading({ level, text }: Extract<Block, { kind: 'heading' }>): void {
    while ((headings.at(-1)?.level ?? -1) >= level) headings.pop();
    if (text !== '') headings.push({ level, text });
    head = headOf(path());
  }

  function* addText(text: string): Generator<Passage | undefined> {
    const isTooMuch = held.length > 0 && heldLength + text.length > Math.min(room(), 2 * FULL);
    if (isTooMuch) yield close();
    held.push(text);
    heldLength += text.length + 2;
    if (heldLength >= FULL) yield close();
  }

  return {
    close,
    /** The passages that the block closes; undefined after a part of it that closes none. */
    *add(block: Block): Generator<Passage | undefined> {
      const isElsewhere = block.place !== place || block.kind === 'heading' || block.kind === 'entry';
      if (isElsewhere) yield close();
      place = block.place;
      if (block.kind === 'heading') {
        // What calls itself a heading may be a book.
        const text = oneLine(block.text.slice(0, MAX_PATH));
        if (text !== '' || block.level === 0) openHeading({ ...block, text });
        return;
      }
      const texts = block.kind === 'table' ? tableTextsOf(block, room()) : splitText(block.text, room());
      for (const text of texts) {
        if (text === undefined) yield undefined;
        else yield* addText(text);
      }
      if (block.kind === 'entry') yield close();
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
  return short.length > limit ? (splitText(short, Math.max(limit, 1)).next().value ?? '') : short;
}
