import type { Nodes, Root } from 'mdast';
import { maxCharactersOf } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';

/*
 * A passage of Markdown stands alone, so text that is defined elsewhere is put where it is named: the address of a link, and a
 * note. Struck text and comments are left out.
 */

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A mark that opens or closes struck text; Markdown's tildes do either. */
interface StruckMark {
  readonly from: number;
  readonly to: number;
  readonly mayOpen: boolean;
  readonly mayClose: boolean;
  readonly name: 'tildes' | 'tag';
}

const MAX_NOTE = 1_000;
const NOTE = /^\[\^([^\]\s]{1,32})\]:\s+(\S[^]*)$/;
const NOTE_MARKS = /\[\^([^\]\s]{1,32})\]/g;
const TILDES = /(?<![\\~])~~(?!~)/g;
const STRUCK_TAG = /^<(\/?)(?:s|strike|del)(?:\s[^>]*)?>$/i;
const BLOCKS = new Set(['paragraph', 'heading', 'tableCell']);

/** Returns the source with notes and addresses in place, and the number of struck texts. */
export function tellInPlace(source: string, root: Root): { told: string; struck: number } {
  const nodes = Array.from(nodesIn(root));
  const struck = nodes.flatMap(node => (BLOCKS.has(node.type) ? findStruck(node, source) : []));
  const edits = [...struck, ...commentsIn(nodes), ...addressesIn(nodes, source), ...notesIn(nodes, source)];
  const parts: string[] = [];
  let [at, added] = [0, 0];
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (from < at) continue;
    added += text.length;
    // A note of 1,000 characters with 400,000 marks would be 400 million.
    if (added > maxCharactersOf(source.length)) throw new UnreadableError('too-many-passages');
    parts.push(source.slice(at, from), text);
    at = to;
  }
  return { told: parts.join('') + source.slice(at), struck: struck.length };
}

function* nodesIn(root: Nodes): Generator<Nodes> {
  const open: Nodes[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    if ('children' in node) for (const child of node.children.toReversed()) open.push(child);
  }
}

function placeOf({ position }: Nodes): readonly [from: number, to: number] {
  return [position?.start.offset ?? 0, position?.end.offset ?? 0];
}

function findStruck(block: Nodes, source: string): Edit[] {
  const edits: Edit[] = [];
  let open: StruckMark | undefined;
  for (const mark of struckMarksIn(block, source)) {
    if (open && mark.mayClose && mark.name === open.name) {
      edits.push({ from: open.from, to: mark.to, text: '' });
      open = undefined;
    } else if (!open && mark.mayOpen) open = mark;
  }
  return edits;
}

function* struckMarksIn(block: Nodes, source: string): Generator<StruckMark> {
  for (const node of nodesIn(block)) {
    const [from, to] = placeOf(node);
    if (node.type === 'html') {
      const [, closing] = STRUCK_TAG.exec(node.value) ?? [];
      if (closing !== undefined)
        yield { from, to, mayOpen: closing === '', mayClose: closing !== '', name: 'tag' };
    }
    if (node.type !== 'text') continue;
    for (const { index } of source.slice(from, to).matchAll(TILDES)) {
      const [start, end] = [from + index, from + index + 2];
      const mayOpen = /\S/.test(source[end] ?? ' ');
      yield { from: start, to: end, mayOpen, mayClose: /\S/.test(source[start - 1] ?? ' '), name: 'tildes' };
    }
  }
}

function commentsIn(nodes: readonly Nodes[]): Edit[] {
  return nodes.flatMap(node => {
    if (node.type !== 'html' || !/^<!--[^]*-->\s*$/.test(node.value)) return [];
    const [from, to] = placeOf(node);
    return [{ from, to, text: '' }];
  });
}

/** Puts the address into a link that names it (`[aqui][1]`) and removes the definition, unless a picture needs it. */
function addressesIn(nodes: readonly Nodes[], source: string): Edit[] {
  const definitions = new Map(
    nodes.flatMap(node => (node.type === 'definition' ? [[node.identifier, node] as const] : [])),
  );
  const named = new Set<string>();
  const kept = new Set(nodes.flatMap(node => (node.type === 'imageReference' ? [node.identifier] : [])));
  const links = nodes.flatMap(node => {
    const definition = node.type === 'linkReference' ? definitions.get(node.identifier) : undefined;
    if (node.type !== 'linkReference' || !definition || source.startsWith('[^', placeOf(node)[0])) return [];
    named.add(node.identifier);
    const last = node.children.at(-1);
    const [start, to] = placeOf(node);
    const from = last ? placeOf(last)[1] : start + 1;
    const url = /[\s()]/.test(definition.url) ? `<${definition.url}>` : definition.url;
    return [{ from, to, text: `](${url})` }];
  });
  const gone = Array.from(definitions.values()).flatMap(node => {
    if (!named.has(node.identifier) || kept.has(node.identifier)) return [];
    const [from, to] = placeOf(node);
    return [{ from, to, text: '' }];
  });
  return [...links, ...gone];
}

function notesIn(nodes: readonly Nodes[], source: string): Edit[] {
  const notes = new Map<string, { readonly place: readonly [number, number]; readonly text: string }>();
  for (const node of nodes) {
    // A note of one word looks like the address of a link.
    if (node.type === 'definition' && node.label?.startsWith('^'))
      notes.set(node.label.slice(1), { place: placeOf(node), text: node.url });
    if (node.type !== 'paragraph' || !source.startsWith('[^', placeOf(node)[0])) continue;
    let [from] = placeOf(node);
    for (const part of source.slice(...placeOf(node)).split(/(?<=\n)(?=\[\^)/)) {
      const [, name, text = ''] = NOTE.exec(part) ?? [];
      if (name !== undefined && text.length <= MAX_NOTE)
        notes.set(name, { place: [from, from + part.length], text: text.split(/\s+/).join(' ').trim() });
      from += part.length;
    }
  }
  if (notes.size === 0) return [];
  const named = new Set<string>();
  const marks = nodes.flatMap(node => {
    if (node.type !== 'text' && node.type !== 'linkReference') return [];
    const [start, end] = placeOf(node);
    return Array.from(source.slice(start, end).matchAll(NOTE_MARKS)).flatMap(
      ({ 0: mark, 1: name = '', index }) => {
        const note = notes.get(name);
        const from = start + index;
        if (!note || from === note.place[0]) return [];
        named.add(name);
        return [{ from, to: from + mark.length, text: ` (${name}: ${note.text})` }];
      },
    );
  });
  const gone = Array.from(notes).flatMap(([name, { place }]) =>
    named.has(name) ? [{ from: place[0], to: place[1], text: '' }] : [],
  );
  return [...marks, ...gone];
}
