import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

const imported = /\b(?:import|export)\b[^;'"`]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;

export function sourceFiles(): SourceFile[] {
  return listProject()
    .filter(path => /\.(tsx?|mjs)$/.test(path))
    .map(sourceFileOf);
}

/**
 * The files of the project, sorted: those that git knows, and new ones in its folders. What somebody tries out in a clone lies in
 * its root, or in a folder of their own. A copy without git has the files of the project only.
 */
export function listProject(folder: string = root): string[] {
  const listByGit = (...options: string[]) => lsFiles(folder, options);
  const known = listByGit('--cached');
  if (known === undefined) return listCopy(folder);
  const folders = new Set(known.filter(path => path.includes('/')).map(folderOf));
  const added = (listByGit('--others', '--exclude-standard') ?? []).filter(path =>
    folders.has(folderOf(path)),
  );
  return [...known, ...added].filter(path => existsSync(join(folder, path))).toSorted();
}

function lsFiles(folder: string, options: readonly string[]): string[] | undefined {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', ...options], {
    cwd: folder,
    encoding: 'utf8',
  });
  return status === 0 && stdout !== '' ? stdout.split('\0').slice(0, -1) : undefined;
}

function listCopy(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const isOurs = (path: string) => !/(?:^|\/)(?:node_modules|dist|coverage|\.git|\.data)(?:\/|$)/.test(path);
  return paths
    .map(path => path.split(sep).join('/'))
    .filter(isOurs)
    .toSorted();
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
