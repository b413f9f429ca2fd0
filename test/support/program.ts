import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '../../commands/build-console.mjs';
import { isBuilt } from '../../commands/build-stamp.mjs';

const root = join(import.meta.dirname, '..', '..');
let built: boolean | undefined;
let pages: Promise<void> | undefined;

/** The arguments of `node` for a program, such as `workers/main.ts`: built where the build is not stale, as by `npm test`. */
export function argsOf(program: string): string[] {
  built ??= isBuilt();
  if (!built) return ['--import', 'tsx', join(root, program)];
  return ['--enable-source-maps', join(root, 'dist', program.replace(/\.ts$/, '.js'))];
}

/** Builds the pages of the console where there are none: without them no api starts. */
export async function providePages(): Promise<void> {
  if (!existsSync(join(root, 'dist', 'console', 'index.es.html'))) await provideFreshPages();
}

/** Builds them where they are not of the sources as they are. */
export function provideFreshPages(): Promise<void> {
  built ??= isBuilt();
  return (pages ??= built ? Promise.resolve() : buildConsole());
}
