import { Parser } from 'htmlparser2';

/*
 * Runs that mammoth reads otherwise than Word shows them: it passes over the text of simple fields, and tells text that is hidden, or
 * white on white.
 */

export interface StyleLook {
  readonly isHidden: boolean;
  readonly isShaded: boolean;
}

interface Look {
  style: string;
  isHidden?: boolean;
  isShaded: boolean;
}

interface Run extends Look {
  readonly from: number;
  isWhite: boolean;
  /** A field that has lost its end would take in the text behind it. */
  hasField: boolean;
}

const SIMPLE_FIELD = /<w:fldSimple\b((?:\s+[\w:]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*)(\/?)>|<\/w:fldSimple>/g;
const INSTRUCTION = /\bw:instr\s*=\s*(?:"([^"]*)"|'([^']*)')/;
const LINK = /(HYPERLINK\s+(?:\\l\s+)?)("|&quot;)(.*?)\2.*/;
const WHITE = /<w:color\b[^<>]*w:val="FFFFFF"/i;
/** Behind these, white text is seen. */
const GROUND = /<w:background\b|behindDoc="(?:1|true)"|z-index:-\d/;

/** Writes simple fields in the form that mammoth reads. Of a link it would take the tip for a part of the address. */
export function tellFields(part: string): string {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  return part
    .replaceAll(/(<w:instrText\b[^>]*>)([^<]*)/g, (_, tag: string, text: string) => tag + linkOf(text))
    .replaceAll(SIMPLE_FIELD, (tag: string, attributes = '', closed = '') => {
      if (closed !== '') return '';
      if (tag.startsWith('</')) return mark('end');
      const [, double, single = ''] = INSTRUCTION.exec(attributes) ?? [];
      const instruction = `<w:r><w:instrText>${linkOf(double ?? single)}</w:instrText></w:r>`;
      return mark('begin') + instruction + mark('separate');
    });
}

function linkOf(instruction: string): string {
  return instruction.replace(LINK, '$1$2$3$2');
}

/** Whether a page of the part, or with this header, has something behind its text. */
export function hasGround(part: string): boolean {
  return GROUND.test(part);
}

/** Leaves out runs that are hidden, and white ones where nothing is behind them: not in tables and boxes. */
export function cutHidden(part: string, styles: ReadonlyMap<string, StyleLook>, isGrounded: boolean): string {
  const mayBeWhite = !isGrounded && WHITE.test(part);
  const isStyled = Array.from(styles.values()).some(({ isHidden }) => isHidden);
  if (!mayBeWhite && !isStyled && !part.includes('<w:vanish')) return part;
  const cuts: (readonly [from: number, to: number])[] = [];
  forRuns(part, (run, paragraph, isInBox, to) => {
    const looks = [run, paragraph].map(({ style }) => styles.get(style));
    const isHidden = run.isHidden ?? looks.some(look => look?.isHidden);
    const isShaded = run.isShaded || paragraph.isShaded || looks.some(look => look?.isShaded);
    const isWhite = mayBeWhite && run.isWhite && !isInBox && !isShaded;
    if ((isHidden || isWhite) && !run.hasField) cuts.push([run.from, to]);
  });
  const kept: string[] = [];
  let at = 0;
  for (const [from, to] of cuts.toSorted((a, b) => a[0] - b[0])) {
    // A run within a text box of a hidden one is gone with it.
    if (from >= at) kept.push(part.slice(at, from));
    at = Math.max(at, to);
  }
  return kept.join('') + part.slice(at);
}

type TakeRun = (run: Run, paragraph: Look, isInBox: boolean, to: number) => void;

function forRuns(part: string, take: TakeRun): void {
  const paragraphs: Look[] = [];
  const runs: Run[] = [];
  const open: string[] = [];
  let [changed, boxes] = [0, 0];
  const parser: Parser = new Parser(
    {
      onopentag(name, attribs) {
        open.push(name);
        // These properties are older than the tracked change.
        if (/^w:[pr]PrChange$/.test(name)) changed += 1;
        if (/^(?:w:tbl|w:txbxContent)$/.test(name)) boxes += 1;
        if (name === 'w:p') paragraphs.push({ style: '', isShaded: false });
        if (name === 'w:r')
          runs.push({ from: parser.startIndex, style: '', isShaded: false, isWhite: false, hasField: false });
        const [run, around] = [runs.at(-1), open.slice(-3).join(' ')];
        if (changed > 0) return;
        const paragraph = paragraphs.at(-1);
        if (paragraph && open.at(-2) === 'w:pPr') readLook(paragraph, name, attribs);
        if (run && around === `w:r w:rPr ${name}`) readLook(run, name, attribs);
        if (run && (name === 'w:fldChar' || name === 'w:instrText')) run.hasField = true;
      },
      onclosetag(name) {
        open.pop();
        if (/^w:[pr]PrChange$/.test(name)) changed -= 1;
        if (/^(?:w:tbl|w:txbxContent)$/.test(name)) boxes -= 1;
        if (name === 'w:p') paragraphs.pop();
        const run = name === 'w:r' ? runs.pop() : undefined;
        if (run)
          take(run, paragraphs.at(-1) ?? { style: '', isShaded: false }, boxes > 0, parser.endIndex + 1);
      },
    },
    { xmlMode: true },
  );
  parser.end(part);
}

function readLook(look: Look | Run, name: string, attribs: Readonly<Record<string, string>>): void {
  const value = attribs['w:val'] ?? '';
  if (name === 'w:pStyle' || name === 'w:rStyle') look.style = value;
  if (name === 'w:vanish') look.isHidden = !/^(?:0|false|off)$/.test(value);
  if (name === 'w:shd' && isDark(attribs)) look.isShaded = true;
  if (name === 'w:highlight' && value !== 'none') look.isShaded = true;
  if (name === 'w:color' && 'isWhite' in look) look.isWhite = /^FFFFFF$/i.test(value);
}

/** Whether this shading is another than white. */
export function isDark(attribs: Readonly<Record<string, string>>): boolean {
  const isPlain = /^(?:clear|nil)?$/.test(attribs['w:val'] ?? '');
  const isThemed = !/^(?:background1|light1)?$/.test(attribs['w:themeFill'] ?? '');
  return !isPlain || isThemed || !/^(?:auto|FFFFFF)?$/i.test(attribs['w:fill'] ?? '');
}
