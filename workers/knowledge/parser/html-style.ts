import type { Document, Element } from 'domhandler';
import { getElementsByTagName, textContent } from 'domutils';

/* Styles that change what a text says: they strike it through, raise it above the line, or show it apart from its neighbours. */

/** The classes that the page's own style gives each of these. */
export interface Styles {
  readonly struck: ReadonlySet<string>;
  readonly raised: ReadonlySet<string>;
  readonly apart: ReadonlySet<string>;
  readonly spaced: ReadonlySet<string>;
}

export const INLINE = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const STRUCK = new Set(['s', 'strike', 'del']);
const STRUCK_STYLE = /text-decoration(?:-line)?\s*:[^;]*line-through/i;
const RAISED_STYLE = /vertical-align\s*:\s*super/i;
/** These show an element, or each child of it, apart from its neighbours, whether or not the page has a blank there. */
const APART_STYLE = /display\s*:\s*(?:block|inline-block|inline-flex|inline-grid|table-cell|list-item)/i;
const SPACED_STYLE = /display\s*:\s*(?:inline-)?(?:flex|grid)/i;
const SPACED_CLASS = /(?:^|\s)(?:d-(?:inline-)?flex|(?:inline-)?flex|d-grid|grid|row)(?:\s|$)/;

export function stylesOf(document: Document): Styles {
  const styles = getElementsByTagName('style', document)
    .map(style => textContent(style))
    .join('\n');
  return {
    struck: classesOf(STRUCK_STYLE, styles),
    raised: classesOf(RAISED_STYLE, styles),
    apart: classesOf(APART_STYLE, styles),
    spaced: classesOf(SPACED_STYLE, styles),
  };
}

export function isShownApart(element: Element, { apart }: Styles): boolean {
  return hasStyle(element, APART_STYLE, apart);
}

export function hasSpacedChildren(element: Element, { spaced }: Styles): boolean {
  return hasStyle(element, SPACED_STYLE, spaced);
}

/** Whether its class is one by which frameworks lay its children apart. */
export function isNamedSpaced({ attribs }: Element): boolean {
  return SPACED_CLASS.test(attribs['class'] ?? '');
}

export function isRaised(element: Element, { raised }: Styles): boolean {
  if (!INLINE.has(element.name)) return false;
  return element.name === 'sup' || hasStyle(element, RAISED_STYLE, raised);
}

export function isStruck(element: Element, { struck }: Styles): boolean {
  return STRUCK.has(element.name) || hasStyle(element, STRUCK_STYLE, struck);
}

function hasStyle({ attribs }: Element, style: RegExp, classes: ReadonlySet<string>): boolean {
  if (style.test(attribs['style'] ?? '')) return true;
  return classes.size > 0 && (attribs['class'] ?? '').split(/\s+/).some(each => classes.has(each));
}

/** Returns the classes that have this style in the page, as Google Docs and word processors write them. */
function classesOf(wanted: RegExp, styles: string): Set<string> {
  const rules = styles.split('}').flatMap(rule => {
    const [selectors = '', style = ''] = rule.split('{').slice(-2);
    return wanted.test(style) ? selectors.split(',') : [];
  });
  return new Set(rules.flatMap(selector => /^\s*[a-z0-9]*\.([\w-]+)\s*$/i.exec(selector)?.[1] ?? []));
}
