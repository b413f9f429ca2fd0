import type { Document, Element } from 'domhandler';
import { getElementsByTagName } from 'domutils';
import { strToU8, zipSync } from 'fflate';
import { parseDocument } from 'htmlparser2';
import mammoth from 'mammoth';
import type { DocumentText } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';
import { checkArchive, pathOf, readRelations, relationsOf, textOf, unpack } from './archive.ts';
import { tellFormulas } from './docx-formulas.ts';
import { tellNumbers } from './docx-numbers.ts';
import { cutHidden, hasGround, isDark, type StyleLook, tellFields } from './docx-runs.ts';
import { readHtml } from './read-html.ts';

const MAIN_PART = 'word/document.xml';
const MAIN_RELATION =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="@"/></Relationships>';

/** A box to mark, as mammoth writes it. */
const BOX = /<input type="checkbox"( checked="checked")? ?\/>/g;

/** Reads headings, lists and tables by their styles, and no pictures or macros. */
export async function readDocx(bytes: Uint8Array): Promise<DocumentText> {
  const main = checkArchive(bytes, MAIN_PART, 'document');
  const { told, rules } = readParts(bytes, main);
  const { value } = await mammoth
    .convertToHtml(
      { buffer: Buffer.from(told) },
      // Pictures would be written into the page.
      {
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
        // The page reader makes it the caption of the table below.
        styleMap: ["p[style-name='caption'] => p.caption:fresh", ...rules],
      },
    )
    .catch(() => {
      throw new UnreadableError('broken');
    });
  const { title: _, ...text } = readHtml(value.replaceAll(BOX, (_box, on) => (on ? '[x]' : '[ ]')));
  return text;
}

/** Returns the document with what mammoth does not read, in a form that it reads, and the rules for its styles. */
function readParts(bytes: Uint8Array, main: string): { told: Uint8Array; rules: string[] } {
  // Pictures and sounds are not read.
  const parts = unpack(bytes, name => /\.(?:xml|rels)$/.test(name));
  try {
    const relations = readRelations(parts[relationsOf(main)]);
    const pathTo = (wanted: string) => {
      const target = relations.find(({ type }) => type === wanted)?.target;
      const path = target === undefined ? '' : pathOf(target, main);
      return path in parts ? path : `word/${wanted}.xml`;
    };
    const numbering = textOf(parts[pathTo('numbering')]);
    const styles = textOf(parts[pathTo('styles')]);
    const known = readStyles(parseDocument(styles, { xmlMode: true }));
    const looks = new Map(Array.from(known, ([id, style]) => [id, lookOf(style, known)]));
    const isGrounded = Object.keys(parts).some(
      path => (path === main || /\/header\d*\.xml$/.test(path)) && hasGround(textOf(parts[path])),
    );
    const tell = (path: string) => {
      const struck = textOf(parts[path]).replaceAll(/<(\/?)w:dstrike\b/g, '<$1w:strike');
      return cutHidden(tellFields(tellFormulas(struck)), looks, isGrounded);
    };
    const document = tell(main);
    const notes = [pathTo('footnotes'), pathTo('endnotes')].filter(path => path in parts);
    const numbered = numbering === '' ? document : tellNumbers(document, numbering, styles);
    const told = {
      ...parts,
      ...Object.fromEntries(notes.map(path => [path, strToU8(tell(path))])),
      [main]: strToU8(numbered),
      // mammoth looks for the main part in fewer places.
      '_rels/.rels': strToU8(MAIN_RELATION.replace('@', main)),
    };
    return { told: zipSync(told, { level: 0 }), rules: styleRulesOf(known) };
  } catch {
    throw new UnreadableError('broken');
  }
}

/* The document's own styles: mammoth knows Word's headings only by their names, and no text that a style strikes or raises. */

interface Style {
  readonly name: string;
  readonly isOfRuns: boolean;
  readonly basedOn: string | undefined;
  readonly level: number | undefined;
  readonly isStruck: boolean | undefined;
  readonly isRaised: boolean | undefined;
  readonly isHidden: boolean | undefined;
  readonly isShaded: boolean | undefined;
}

const HEADING = /^heading ([1-6])$/i;
const MAX_LEVEL = 6;
/** Limits styles that name each other in a circle. */
const MAX_STYLES = 20;
/** mammoth tries each with each paragraph: 10,000 with 200,000 paragraphs would be two billion. */
const MAX_RULES = 100;

function styleRulesOf(styles: ReadonlyMap<string, Style>): string[] {
  const rules = Array.from(styles.values()).flatMap(style => {
    const bases = basesOf(style, styles);
    const isStruck = bases.find(base => base.isStruck !== undefined)?.isStruck ?? false;
    const level = bases.find(base => base.level !== undefined)?.level ?? 0;
    const name = `[style-name='${style.name.replace(/[\\']/g, '\\$&')}']`;
    if (isStruck) return [style.isOfRuns ? `r${name} => s` : `p${name} => s:fresh > p:fresh`];
    const isRaised = bases.find(base => base.isRaised !== undefined)?.isRaised ?? false;
    if (style.isOfRuns && isRaised) return [`r${name} => sup`];
    const isHeading = !style.isOfRuns && level > 0 && !HEADING.test(style.name);
    return isHeading ? [`p${name} => h${level}:fresh`] : [];
  });
  return rules.slice(0, MAX_RULES);
}

function readStyles(xml: Document): Map<string, Style> {
  const all = getElementsByTagName('w:style', xml);
  return new Map(all.map(style => [style.attribs['w:styleId'] ?? '', readStyle(style)]));
}

function readStyle(style: Element): Style {
  const valueOf = (tag: string) => getElementsByTagName(tag, style, true, 1)[0]?.attribs['w:val'];
  const isOn = (...tags: string[]) => {
    const found = tags.flatMap(tag => getElementsByTagName(tag, style, true, 1));
    if (found.length === 0) return undefined;
    return found.some(({ attribs }) => !/^(?:0|false|off|none)$/.test(attribs['w:val'] ?? ''));
  };
  const [shading] = getElementsByTagName('w:shd', style, true, 1);
  const name = valueOf('w:name') ?? '';
  const outline = valueOf('w:outlineLvl');
  const place = valueOf('w:vertAlign');
  const level = HEADING.exec(name)?.[1] ?? (outline === undefined ? undefined : Number(outline) + 1);
  return {
    name,
    isOfRuns: style.attribs['w:type'] === 'character',
    basedOn: valueOf('w:basedOn'),
    // The tenth level means plain text.
    level: level === undefined ? undefined : Number(level) <= MAX_LEVEL ? Number(level) : 0,
    isRaised: place === undefined ? undefined : place === 'superscript',
    isStruck: isOn('w:strike', 'w:dstrike'),
    isHidden: isOn('w:vanish'),
    isShaded: shading && isDark(shading.attribs),
  };
}

function lookOf(style: Style, styles: ReadonlyMap<string, Style>): StyleLook {
  const bases = basesOf(style, styles);
  return {
    isHidden: bases.find(({ isHidden }) => isHidden !== undefined)?.isHidden ?? false,
    isShaded: bases.find(({ isShaded }) => isShaded !== undefined)?.isShaded ?? false,
  };
}

/** Returns the style itself first, then those it is based on. */
function basesOf(style: Style, styles: ReadonlyMap<string, Style>): Style[] {
  const bases = [style];
  for (let base = styles.get(style.basedOn ?? ''); base && bases.length < MAX_STYLES; ) {
    bases.push(base);
    base = styles.get(base.basedOn ?? '');
  }
  return bases;
}
