import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

export interface SourceFile {
  /** Relative to the root of the project: `api/app.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments, for rules about what the code does. */
  readonly code: string;
  /** Imported files of the project, including type imports. */
  readonly imports: readonly string[];
  /** Imported packages: `bullmq`, `node:fs`. */
  readonly packages: readonly string[];
}

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.git', '.data']);
const imported = /\b(?:import|export)\b[^;'"`]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;

export function sourceFiles(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(path => path.split(sep).join('/'))
    .filter(path => /\.(tsx?|mjs)$/.test(path) && !path.split('/').some(part => notOurs.has(part)));
  return paths.toSorted().map(sourceFileOf);
}

function sourceFileOf(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, code: withoutComments(text), ...importsIn(path, text) };
}

/** The imports of a file with this path and text. */
export function importsIn(path: string, text: string): Pick<SourceFile, 'imports' | 'packages'> {
  const all = [...withoutComments(text).matchAll(imported)].map(([, from, bare]) => from ?? bare ?? '');
  const isLocal = (name: string) => name.startsWith('.');
  return {
    imports: all.filter(isLocal).map(name =>
      normalize(join(dirname(path), name))
        .split(sep)
        .join('/'),
    ),
    packages: all.filter(name => !isLocal(name)),
  };
}

/** The top-level folder of a file; '' for those at the root. */
export function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

/** String literals are kept: they may contain what looks like a comment, such as `https://`. */
function withoutComments(text: string): string {
  const token =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?<![\\:])\/\/[^\n]*/g;
  return text.replaceAll(token, found => (found.startsWith('/') ? ' ' : found));
}
