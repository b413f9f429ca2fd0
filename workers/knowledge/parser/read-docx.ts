import { strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import type { DocumentText } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';
import { checkArchive, textOf, unpack } from './archive.ts';
import { tellNumbers } from './docx-numbers.ts';
import { styleRulesOf } from './docx-styles.ts';
import { readHtml } from './read-html.ts';

const MAIN_PART = 'word/document.xml';

/** Headings, lists and tables by their styles. Pictures and macros are not read. */
export async function readDocx(bytes: Uint8Array): Promise<DocumentText> {
  checkArchive(bytes, MAIN_PART);
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
  // Pictures and sounds are not read.
  const parts = unpack(bytes, name => /\.(?:xml|rels)$/.test(name));
  try {
    const numbering = textOf(parts['word/numbering.xml']);
    const document = textOf(parts[MAIN_PART]).replaceAll(/<(\/?)w:dstrike\b/g, '<$1w:strike');
    const styles = textOf(parts['word/styles.xml']);
    const numbered = numbering === '' ? document : tellNumbers(document, numbering, styles);
    const told = zipSync({ ...parts, [MAIN_PART]: strToU8(numbered) }, { level: 0 });
    return { told, rules: styleRulesOf(styles) };
  } catch {
    throw new UnreadableError('broken');
  }
}
