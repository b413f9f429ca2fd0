import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import mammoth from 'mammoth';
import type { DocumentText } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';
import { tellNumbers } from './docx-numbers.ts';
import { styleRulesOf } from './docx-styles.ts';
import { readHtml } from './read-html.ts';

/** The limit of all files of the archive, unpacked. */
const MAX_UNPACKED = 200 * 1_048_576;
const MAX_FILES = 10_000;
const MAIN_PART = 'word/document.xml';

/** Headings, lists and tables by their styles. Pictures and macros are not read. */
export async function readDocx(bytes: Uint8Array): Promise<DocumentText> {
  checkArchive(bytes);
  const { told, rules } = readParts(bytes);
  const { value } = await mammoth
    .convertToHtml(
      { buffer: Buffer.from(told) },
      // Pictures would be written into the page.
      {
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
        // The page reader has it as the caption of the table below it.
        styleMap: ["p[style-name='caption'] => p.caption:fresh", ...rules],
      },
    )
    .catch(() => {
      throw new UnreadableError('broken');
    });
  const { title: _, ...text } = readHtml(value.normalize('NFC'));
  return text;
}

/**
 * The document with what mammoth does not read: numbers of paragraphs, and text that is struck through twice. And the rules for
 * its styles.
 */
function readParts(bytes: Uint8Array): { told: Uint8Array; rules: string[] } {
  try {
    // Pictures and sounds are not read.
    const parts = unzipSync(bytes, { filter: ({ name }) => /\.(?:xml|rels)$/.test(name) });
    const textOf = (name: string) => strFromU8(parts[name] ?? new Uint8Array());
    const numbering = textOf('word/numbering.xml');
    const document = textOf(MAIN_PART).replaceAll(/<(\/?)w:dstrike\b/g, '<$1w:strike');
    const styles = textOf('word/styles.xml');
    const numbered = numbering === '' ? document : tellNumbers(document, numbering, styles);
    const told = zipSync({ ...parts, [MAIN_PART]: strToU8(numbered) }, { level: 0 });
    return { told, rules: styleRulesOf(styles) };
  } catch {
    throw new UnreadableError('broken');
  }
}

/** Checks what the directory of the archive says, which may lie: the limit of memory holds for what it does not say. */
function checkArchive(bytes: Uint8Array): void {
  let unpacked = 0;
  const names: string[] = [];
  try {
    unzipSync(bytes, {
      filter({ name, originalSize }) {
        unpacked += originalSize;
        names.push(name);
        return false;
      },
    });
  } catch {
    throw new UnreadableError('broken');
  }
  if (unpacked > MAX_UNPACKED || names.length > MAX_FILES) throw new UnreadableError('too-large');
  if (names.includes('EncryptedPackage')) throw new UnreadableError('encrypted');
  if (!names.includes(MAIN_PART)) throw new UnreadableError('wrong-kind');
}
