/** A passage as people write it: its markup is in its content only. */
export interface PassageParts {
  /** Which conversations it is for: a line for each key. */
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

/** As it is sent: what it is for stands at the head of its content, or is said to be nothing. */
export function joinPassage({ filters, mark, title, text }: PassageParts) {
  const heading = title.replaceAll(/\s+/g, ' ').trim();
  const head = filters.trim() && `---\n${filters.trim()}\n---`;
  const content = [head, heading && `${mark} ${heading}`, text.trim()].filter(Boolean).join('\n\n');
  return head ? { content } : { content, filter: {} };
}

/** The path of headings in a document, as it is read: `Guia › Biblioteca`. */
export const readableTitle = (title: string): string => title.replaceAll(' > ', ' › ').replaceAll('**', '');

/** A link is read as its text. */
export const withoutLinks = (text: string): string => text.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1');

/** Without marks, for where there is no room for a form. */
export const plainText = (text: string): string =>
  withoutLinks(text)
    .replaceAll(/^#{1,6} /gm, '')
    .replaceAll('**', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
