import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { root } from '../support/source-files.ts';

const run = promisify(execFile);
const notCopied = ['node_modules', '.data', '.git', 'coverage', 'docs'];

describe('a build', () => {
  let folder: string;
  const inDist = (name: string) => join(folder, 'dist', name);
  /** What the last build made, and the one before. */
  const listOutputs = (): [string[], string[]] => JSON.parse(readFileSync(inDist('.outputs'), 'utf8'));

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-test-build-'));
    cpSync(root, folder, {
      recursive: true,
      filter: path => path === root || !notCopied.includes(basename(path)),
    });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    // A build takes half a minute on a busy machine: the first is the one before the tests.
    if (!existsSync(inDist('.outputs'))) await build();
  });
  after(() => rmSync(folder, { recursive: true }));

  const build = async () => {
    const building = spawn(process.execPath, ['commands/build.mjs'], { cwd: folder, stdio: 'inherit' });
    const [code] = await once(building, 'exit');
    expect(code).to.equal(0);
  };
  const start = () => run(process.execPath, ['dist/commands/token.js', 'list', '--help'], { cwd: folder });

  it('of changed sources lets programs start at any moment, and keeps what the build before made', async () => {
    const [made] = listOutputs();
    const older = 'older-ABCDEFGH.js';
    writeFileSync(inDist(older), '');
    writeFileSync(inDist('.outputs'), JSON.stringify([made, [older]]));
    appendFileSync(join(folder, 'commands', 'database-url.ts'), `\nexport const changed = 'changed';\n`);
    appendFileSync(
      join(folder, 'commands', 'token.ts'),
      `\nconsole.error(Object.keys(await import('./database-url.ts')).join());\n`,
    );
    const building = { goesOn: true };
    const built = build().finally(() => (building.goesOn = false));
    let starts = 0;
    for (; building.goesOn; starts += 1) expect((await start()).stdout).to.include('listTokens');
    await built;
    expect(starts).to.be.above(1);
    expect(await start())
      .to.have.property('stderr')
      .that.includes('changed');
    const [now, before] = listOutputs();
    expect(before).to.deep.equal(made);
    expect(now.filter(name => !made.includes(name))).to.not.deep.equal([]);
    const there = readdirSync(join(folder, 'dist'), { recursive: true });
    expect(there)
      .to.include.members([...now, ...made])
      .and.not.include(older);
  });
});
