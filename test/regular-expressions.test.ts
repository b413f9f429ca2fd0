import { expect } from 'chai';
import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';
import { growthBeyondLinear, timeOf } from './support/growth.ts';
import { folderOf, sourceFiles } from './support/source-files.ts';

interface FoundExpression {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression literal in these files, and every place that constructs one. */
function regularExpressionsIn(isOurs: (path: string) => boolean) {
  const found: FoundExpression[] = [];
  const made: string[] = [];
  for (const { path, text } of sourceFiles().filter(file => isOurs(file.path)))
    visit(parseSync(path, text).program, node => {
      const { type, regex, callee } = node as ExpressionNode;
      if (type === 'Literal' && regex) found.push({ path, source: regex.pattern, flags: regex.flags });
      if (callee?.name === 'RegExp') made.push(path);
    });
  return { found, made: [...new Set(made)] };
}

interface ExpressionNode {
  readonly type?: string;
  readonly regex?: { readonly pattern: string; readonly flags: string } | null;
  readonly callee?: { readonly name?: string };
}

function visit(node: unknown, look: (node: object) => void): void {
  if (node === null || typeof node !== 'object') return;
  look(node);
  for (const child of Object.values(node)) visit(child, look);
}

/** Reported by the checker, but harmless: by file and expression, with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  'api/queue-board.ts <link href="https:[^>]*>': 'reads the page of our own queue board, once a view',
  'offline-model/server.ts \\?.*$': 'always ends at its first try: with the flag s the rest is any text',
  'platform/tracing.ts \\/*$': 'reads a setting of the operator, once',
  'workers/domain/wpp-parsed/wpp-item.ts [?#].*$':
    'always ends at its first try: with the flag s the rest is any text',
};

/** Files that construct expressions at run time, with their inputs. */
const MADE: Readonly<Record<string, string>> = {
  'api/health/test-run.ts': 'of a list of our own words',
  'offline-model/labelled-value.ts': 'of the words of a label, escaped',
  'text/answers/asks-for-person.ts': 'of lists of our own words',
  'text/answers/said-parts.ts': 'of lists of our own words',
  'text/fold.ts': 'of the letters that are named there',
  'workers/domain/alignment/clock-figures.ts': 'of lists of our own words',
  'workers/domain/documents/spaced-letters.ts': 'of the letters of a text, escaped, with blanks between them',
  'workers/domain/schemas/schema-texts.ts': 'only made, to see that a schema’s pattern is one, and never run',
  'workers/knowledge/parser/archive.ts': 'of the names of the main parts of a DOCX and a workbook',
  'workers/model/spoken-marks.ts': 'the names of calls there, of letters, digits, `_` and `:`',
  'workers/model/spoken-text.ts': 'the tags of thoughts that are named there',
};

/** Folders whose code meets no stranger’s text, with the reason; every other file is looked at. */
const APART: Readonly<Record<string, string>> = {
  test: 'runs on the texts that it makes itself',
  bench: 'measures with texts that it makes itself',
};

const { found, made } = regularExpressionsIn(path => !(folderOf(path) in APART));

const nameOf = ({ path, source }: FoundExpression) => `${path} ${source}`;

const MAX_UNITS = 4;

/** Repetitions of the letters of the expression: repeatedly matching its start is its worst case. */
function ownUnitsOf(source: string): string[] {
  const runs = source.replaceAll(/\\[a-zA-Z]/g, ' ').match(/[^\\()[\]{}|?*+^$]+/g) ?? [];
  const longest = runs.toSorted((a, b) => b.length - a.length).slice(0, MAX_UNITS);
  return [...new Set([...longest, runs.join('')])].filter(Boolean);
}

function isSlow({ source, flags }: Pick<FoundExpression, 'source' | 'flags'>): boolean {
  if (analyse({ source, flags }, { assumeRejectingSuffix: false }).reports.length > 0) return true;
  const all = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  return ownUnitsOf(source).some(unit => {
    const textOf = (length: number) => unit.repeat(Math.ceil(length / unit.length));
    return growthBeyondLinear(text => text.replaceAll(all, ''), textOf) !== undefined;
  });
}

describe('Regular expressions that may meet a stranger’s text', () => {
  it('take a time that grows with its length and no faster, or cannot be attacked', () => {
    const slow = found.filter(each => !(nameOf(each) in HARMLESS) && isSlow(each));
    expect(slow.map(nameOf)).to.deep.equal([]);
  });

  it('are listed as harmless only as long as they are there', () => {
    expect(found.map(nameOf)).to.include.members(Object.keys(HARMLESS));
  });

  it('are made while the service runs only where it is known what of', () => {
    expect(made.toSorted()).to.deep.equal(Object.keys(MADE));
  });

  it('are all looked at, and those that can be attacked are found', () => {
    expect(found.length).to.be.above(150);
    for (const source of ['\\s+$', '(?:a+)+b', '[^\\s]+[.@/][^\\s]*[\\p{L}\\p{N}]', 'x[^>]*>'])
      expect(isSlow({ source, flags: 'u' }), source).to.equal(true);
  });

  it('are not taken for slow where a machine that is busy delays the first of many tries', () => {
    let delayed = 5;
    const run = (text: string) => {
      if (text.length < 4_000 || (delayed -= 1) < 0) return;
      for (let spent = 0; spent < 40; ) spent += timeOf(() => 'a'.repeat(10_000).lastIndexOf('b'));
    };
    expect(growthBeyondLinear(run, length => 'a'.repeat(length))).to.equal(undefined);
  });
});
