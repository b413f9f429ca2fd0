import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { root } from './source-files.ts';

/** The programs or commands in this language on a page. */
export function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = text.matchAll(new RegExp(`^ *\`\`\`${language}\n([^]*?)^ *\`\`\``, 'gm'));
  return [...blocks].map(([, block = '']) => block);
}

/** The first of them. */
export function blockOf(page: string, language: string): string {
  return blocksOf(page, language)[0] ?? '';
}

/** The program of a page, which has said that it listens; `said` grows with what it prints. */
export async function startProgram(page: string, folder: string, env: Record<string, string>) {
  const said: string[] = [];
  await writeFile(join(folder, 'program.mjs'), blockOf(page, 'js'));
  const program = spawn(process.execPath, ['program.mjs'], { cwd: folder, env: { ...process.env, ...env } });
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void said.push(text));
  await eventually(
    async () => said.join(''),
    text => text.includes('listens'),
  );
  const close = async () => {
    program.kill();
    await once(program, 'exit');
  };
  return { said, close };
}
