import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder {
  readonly path: string;
  pathOf(name: string): string;
  /** All but text is written as JSON; returns the path. */
  write(name: string, content: string | object): Promise<string>;
  read(name: string): Promise<string>;
  drop(): Promise<void>;
}

export async function makeFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'parley-test-folder-'));
  const pathOf = (name: string) => join(path, name);
  return {
    path,
    pathOf,
    async write(name, content) {
      await writeFile(pathOf(name), typeof content === 'string' ? content : JSON.stringify(content));
      return pathOf(name);
    },
    read: name => readFile(pathOf(name), 'utf8'),
    drop: () => rm(path, { recursive: true }),
  };
}
