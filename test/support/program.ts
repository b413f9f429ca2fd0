import { join } from 'node:path';
import { isBuilt } from '../../commands/build-stamp.mjs';

const root = join(import.meta.dirname, '..', '..');
let built: boolean | undefined;

/** The arguments of `node` for a program, such as `workers/main.ts`: built where the build is not stale, as by `npm test`. */
export function argsOf(program: string): string[] {
  built ??= isBuilt();
  if (!built) return ['--import', 'tsx', join(root, program)];
  return ['--enable-source-maps', join(root, 'dist', program.replace(/\.ts$/, '.js'))];
}
