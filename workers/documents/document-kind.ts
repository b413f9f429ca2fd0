/** What a document says that it is; `sitemap` and `html` are also what an address may answer. */
export const documentKinds = ['markdown', 'text', 'html', 'pdf', 'docx', 'csv'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** The kind of a media type, without its parameters; undefined where it is none of them. */
export function kindOfMediaType(mediaType: string): DocumentKind | undefined {
  return kinds.get(mediaType.split(';')[0]?.trim().toLowerCase() ?? '');
}

const kinds = new Map<string, DocumentKind>([
  ['text/markdown', 'markdown'],
  ['text/plain', 'text'],
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['application/pdf', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['text/csv', 'csv'],
]);
