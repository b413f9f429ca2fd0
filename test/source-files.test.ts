import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { listProject } from './support/source-files.ts';

describe('the files that the tests of the code read', () => {
  let clone: string;
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'parley-clone-'));
  });
  afterEach(() => rmSync(clone, { recursive: true }));

  const write = (...paths: string[]) => {
    for (const path of paths) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      writeFileSync(join(clone, path), '');
    }
  };

  it('are those that git knows and new ones in their folders, not what somebody tries out beside them', () => {
    write('README.md', 'api/app.ts', 'api/gone.ts');
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
    ])
      execFileSync('git', args, { cwd: clone });
    rmSync(join(clone, 'api/gone.ts'));
    write('bridge.mjs', 'tried/bridge.mjs', 'api/new/step.ts');
    expect(listProject(clone)).to.deep.equal(['README.md', 'api/app.ts', 'api/new/step.ts']);
  });

  it('are all in a copy without git, but for packages and what is made', () => {
    write('README.md', 'api/app.ts', 'api/node_modules.ts', 'node_modules/koa/index.mjs', 'dist/app.mjs');
    const files = listProject(clone).filter(path => /\.\w+$/.test(path));
    expect(files).to.deep.equal(['README.md', 'api/app.ts', 'api/node_modules.ts']);
  });
});
