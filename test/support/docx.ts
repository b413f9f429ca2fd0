import { strToU8, zipSync } from 'fflate';

const DOCUMENT = 'word/document.xml';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const NAMES = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}/relationships" xmlns:m="${OFFICE}/math"`;
const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
  <Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;

export function relationTo(type: string, target: string): Uint8Array {
  return strToU8(
    `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${OFFICE}/relationships/${type}" Target="${target}"/></Relationships>`,
  );
}

export function run(text: string, properties = ''): string {
  return `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
}

export function paragraph(text: string, style = ''): string {
  return `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}${run(text)}</w:p>`;
}

export function cell(text: string): string {
  return `<w:tc>${paragraph(text)}</w:tc>`;
}

export function stylesOf(styles: string): Uint8Array {
  return strToU8(`<w:styles ${NAMES}>${styles}</w:styles>`);
}

export function documentOf(body: string): Uint8Array {
  return strToU8(`<?xml version="1.0"?><w:document ${NAMES}><w:body>${body}</w:body></w:document>`);
}

/** The bytes of a document; `main` is the name of its main part. */
export function docxOf(body: string, more: Record<string, Uint8Array> = {}, main = DOCUMENT): Uint8Array {
  return zipSync({
    '[Content_Types].xml': strToU8(types),
    '_rels/.rels': relationTo('officeDocument', main),
    [main]: documentOf(body),
    ...more,
  });
}
