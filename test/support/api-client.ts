import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** A client generated from an API document, in its own folder. */
export interface ApiClient {
  /** The compiler errors of this module, which may import from `./client.ts`. */
  compile(source: string): Promise<string[]>;
  /** The same module, running. */
  load(source: string): Promise<Record<string, unknown>>;
  remove(): Promise<void>;
}

export async function generateClient(document: unknown): Promise<ApiClient> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-client-'));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write('openapi.json', JSON.stringify(document));
  await write('package.json', '{ "type": "module" }');
  await write('client.ts', await generateSource(join(folder, 'openapi.json')));
  // Generated clients do not distinguish undefined from absent.
  const compilerOptions = { exactOptionalPropertyTypes: false, types: ['node'], rootDir: '/' };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: ['use.ts'] };
  await write('tsconfig.json', JSON.stringify(config));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    async compile(source) {
      await write('use.ts', source);
      const args = [compiler, '--noEmit', '--pretty', 'false', '-p', folder];
      // It exits with 1 if there are errors, and prints them.
      const { stdout } = await promisify(execFile)(process.execPath, args).catch(error => error);
      return String(stdout).split('\n').filter(Boolean);
    },
    async load(source) {
      await write('use.ts', source);
      return import(join(folder, 'use.ts'));
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
