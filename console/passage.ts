/** A passage as people write it: only its content has markup. */
export interface PassageParts {
  /** The conversations that may use it: a line for each key. */
  readonly filters: string;
  /** The mark of the heading: `##`. */
  readonly mark: string;
  readonly title: string;
  readonly text: string;
}

interface PassageOfApi {
  readonly content: string;
  readonly filter?: Readonly<Record<string, readonly string[]>>;
}

const toValue = (value: string) => (/^[\w\p{L}][^,"']*$/u.test(value) ? value : `"${value}"`);

export const newPassage: PassageParts = { filters: '', mark: '##', title: '', text: '' };

const form = /^(?:(#{1,6}) (.+)(?:\n+|$))?/;

export function splitPassage({ content, filter = {} }: PassageOfApi): PassageParts {
  const [head = '', mark = '##', title = ''] = form.exec(content) ?? [];
  const filters = Object.entries(filter).map(([key, values]) => `${key}: ${values.map(toValue).join(', ')}`);
  return { filters: filters.join('\n'), mark, title, text: content.slice(head.length).trimEnd() };
}

/** Builds the passage that is sent: its content begins with the filters, or says that there are none. */
export function joinPassage({ filters, mark, title, text }: PassageParts) {
  const heading = title.replaceAll(/\s+/g, ' ').trim();
  const head = filters.trim() && `---\n${filters.trim()}\n---`;
  const content = [head, heading && `${mark} ${heading}`, text.trim()].filter(Boolean).join('\n\n');
  return head ? { content } : { content, filter: {} };
}

/** The path of headings in a document, as it is read: `Guia › Biblioteca`. */
export const readableTitle = (title: string): string => title.replaceAll(' > ', ' › ').replaceAll('**', '');

/** The title of a document with its place, as the service tells it: the row of a table is named in English. */
export const nameDocument = (title: string): string => title.replace(/, row (\d+)$/, ', linha $1');

export const withoutLinks = (text: string): string => text.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1');

/** Drops the markup, for places without room for it. */
export const plainText = (text: string): string =>
  withoutLinks(text)
    .replaceAll(/^#{1,6} /gm, '')
    .replaceAll('**', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
