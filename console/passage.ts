/** A passage as people write it: its markup is in its content only. */
export interface PassageParts {
  /** The lines between `---`: which conversations it is for. */
  readonly filters: string;
  /** The mark of the heading: `##`. */
  readonly mark: string;
  readonly title: string;
  readonly text: string;
}

export const newPassage: PassageParts = { filters: '', mark: '##', title: '', text: '' };

const form = /^(?:---\n([^]*?)\n---\n+)?(?:(#{1,6}) (.+)(?:\n+|$))?/;

export function splitPassage(content: string): PassageParts {
  const [head = '', filters = '', mark = '##', title = ''] = form.exec(content) ?? [];
  return { filters, mark, title, text: content.slice(head.length).trimEnd() };
}

export function joinPassage({ filters, mark, title, text }: PassageParts): string {
  const heading = title.replaceAll(/\s+/g, ' ').trim();
  return [filters.trim() && `---\n${filters.trim()}\n---`, heading && `${mark} ${heading}`, text.trim()]
    .filter(Boolean)
    .join('\n\n');
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
