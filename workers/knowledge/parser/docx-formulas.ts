import { type AnyNode, type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';

/*
 * mammoth reads no formulas of Word, so each is written into the text as one line before mammoth reads it: `MF = (N1 + 2N2)/3`. Its
 * letters and figures stand in their order, with the signs of a keyboard between them.
 */

const [START, END] = ['<m:oMath', '</m:oMath>'];
/** A term that is written as one thing needs no parentheses. */
const ATOM = /^(?:[\p{L}\p{M}\p{N}.,%∞°]+|\([^()]*\)|\|[^|]*\|)$/u;
/** As much of the document as the text beside a formula is looked for in. */
const SEEN = 1_000;
const ROOTS: Readonly<Record<string, string>> = { '': '√', '2': '√', '3': '∛', '4': '∜' };

/** Returns the part of the document with its formulas as text. */
export function tellFormulas(part: string): string {
  const parts: string[] = [];
  let told = 0;
  for (let at = part.indexOf(START); at >= 0; at = part.indexOf(START, at + 1)) {
    // The paragraph of a formula has almost the same name.
    if (!/[\s>]/.test(part.charAt(at + START.length))) continue;
    const end = part.indexOf(END, at);
    if (end < 0) break;
    const formula = parseDocument(part.slice(at, end + END.length), { xmlMode: true });
    const between = part.slice(told, at);
    const text = besideNumbers(tell(formula.children).trim(), part, at, end + END.length);
    // Formulas of one paragraph are lines.
    parts.push(between, runOf(told > 0 && between === '' ? ` ${text}` : text));
    told = end + END.length;
    at = end;
  }
  parts.push(part.slice(told));
  return told === 0 ? part : parts.join('').replaceAll(/<\/?m:oMathPara(?:\s[^>]*)?>/g, '');
}

/** Puts blanks where the formula would be one number with the text around it: `2` and `1/2`. */
function besideNumbers(text: string, part: string, from: number, to: number): string {
  const plain = (xml: string) => xml.replaceAll(/<[^<>]*>/g, '');
  const before = part.slice(Math.max(from - SEEN, 0), from);
  const start = plain(before.slice(before.lastIndexOf('<w:p>') + 1).slice(before.lastIndexOf('<w:p ') + 1));
  const after = plain(part.slice(to, to + SEEN).split('</w:p>', 1)[0] ?? '');
  const [begins, ends] = [/\d$/.test(start) && /^\d/.test(text), /\d$/.test(text) && /^\d/.test(after)];
  return `${begins ? ' ' : ''}${text}${ends ? ' ' : ''}`;
}

function runOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return text === '' ? '' : `<w:r><w:t xml:space="preserve">${escaped}</w:t></w:r>`;
}

function tell(nodes: readonly AnyNode[]): string {
  let [text, before] = ['', ''];
  for (const node of nodes) {
    if (!isTag(node)) continue;
    const said = tellElement(node);
    text += isGlued(text, before, said, node.name) ? ` ${said}` : said;
    if (said !== '') before = node.name;
  }
  return text;
}

/** Whether two parts would make another number without a blank: `2` and `1/2`, `x^2` and `3`. Runs are parts of one text. */
function isGlued(text: string, before: string, said: string, name: string): boolean {
  if (name === 'm:r' && before === 'm:r') return false;
  if (/\d$/.test(text) && /^\d/.test(said)) return true;
  if (name === 'm:f' && /[\p{L}\p{N})\]]$/u.test(text)) return true;
  return before !== 'm:r' && /[/^_√∛∜][\p{L}\p{N}.,]+$/u.test(text) && /^[\p{L}\p{N}(√]/u.test(said);
}

function tellElement(node: Element): string {
  const [name, of] = [node.name.slice(2), (tag: string) => tell(child(node, tag)?.children ?? [])];
  const base = () => of('e');
  // The change is tracked: what is here is deleted.
  if (/^w:(?:del|moveFrom)$/.test(node.name)) return '';
  switch (name) {
    case 'r':
      return node.children
        .filter(isTag)
        .map(each => (each.name === 'm:t' ? textContent(each) : each.name === 'w:br' ? ' ' : ''))
        .join('');
    case 'f':
      return valueOf(node, 'fPr', 'type') === 'noBar'
        ? `(${of('num')}; ${of('den')})`
        : `${whole(of('num'))}/${whole(of('den'))}`;
    case 'rad': {
      const degree = isOn(node, 'radPr', 'degHide') ? '' : of('deg').trim();
      return `${ROOTS[degree] ?? `√[${degree}]`}${whole(base())}`;
    }
    case 'sSup':
      return `${whole(base())}^${whole(of('sup'))}`;
    case 'sSub':
      return `${whole(base())}_${whole(of('sub'))}`;
    case 'sSubSup':
      return `${whole(base())}_${whole(of('sub'))}^${whole(of('sup'))}`;
    case 'sPre':
      return `_${whole(of('sub'))}^${whole(of('sup'))} ${base()}`;
    case 'nary': {
      const sign = valueOf(node, 'naryPr', 'chr') ?? '∫';
      const [from, to] = [of('sub'), of('sup')].map(limit => limit.trim());
      return `${sign}${from && `_${whole(from)}`}${to && `^${whole(to)}`} ${whole(base())}`;
    }
    case 'limLow':
      return `${base()}_${whole(of('lim'))}`;
    case 'limUpp':
      return `${base()}^${whole(of('lim'))}`;
    case 'func':
      return `${of('fName')} ${base()}`;
    case 'acc': {
      const [letter, mark] = [base(), valueOf(node, 'accPr', 'chr') ?? '\u0302'];
      return /^\p{L}$/u.test(letter) ? letter + mark : letter;
    }
    case 'bar':
      return /^\p{L}$/u.test(base()) ? `${base()}\u0304` : base();
    case 'd':
      return between(node, all(node, 'e'));
    case 'eqArr':
      return all(node, 'e').join('; ');
    case 'm':
      return `[${children(node, 'mr')
        .map(row => all(row, 'e').join(' '))
        .join('; ')}]`;
    default:
      return name.endsWith('Pr') ? '' : tell(node.children);
  }
}

function between(node: Element, texts: readonly string[]): string {
  const [begin = '(', end = ')', separator = '|'] = ['begChr', 'endChr', 'sepChr'].map(each =>
    valueOf(node, 'dPr', each),
  );
  return begin + texts.join(separator) + end;
}

function whole(text: string): string {
  const said = text.trim();
  return ATOM.test(said) || said === '' ? said : `(${said})`;
}

function children(node: Element, tag: string): Element[] {
  return node.children.filter(isTag).filter(({ name }) => name === `m:${tag}`);
}

function child(node: Element, tag: string): Element | undefined {
  return children(node, tag)[0];
}

function all(node: Element, tag: string): string[] {
  return children(node, tag).map(each => tell(each.children));
}

function valueOf(node: Element, properties: string, tag: string): string | undefined {
  const found = child(node, properties);
  return found && child(found, tag)?.attribs['m:val'];
}

function isOn(node: Element, properties: string, tag: string): boolean {
  const found = child(node, properties);
  const property = found && child(found, tag);
  return property !== undefined && !/^(?:0|off|false)$/.test(property.attribs['m:val'] ?? '1');
}
