import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { root } from '../support/source-files.ts';

const run = promisify(execFile);
const notCopied = ['node_modules', 'dist', '.data', '.git', 'coverage', 'docs'];

describe('a build', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-test-build-'));
    cpSync(root, folder, {
      recursive: true,
      filter: path => path === root || !notCopied.includes(basename(path)),
    });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const build = async () => {
    const building = spawn(process.execPath, ['commands/build.mjs'], { cwd: folder, stdio: 'inherit' });
    const [code] = await once(building, 'exit');
    expect(code).to.equal(0);
  };
  const changeAndBuild = (name: string) => {
    appendFileSync(join(folder, 'commands', 'database-url.ts'), `\nexport const ${name} = '${name}';\n`);
    appendFileSync(
      join(folder, 'commands', 'token.ts'),
      `\nconsole.error(Object.keys(await import('./database-url.ts')).join());\n`,
    );
    return build();
  };
  const start = () => run(process.execPath, ['dist/commands/token.js', 'list', '--help'], { cwd: folder });
  const listHashed = () => readdirSync(join(folder, 'dist')).filter(name => name.endsWith('.js'));

  it('of changed sources lets programs start at any moment, and keeps what the build before made', async () => {
    await build();
    const first = listHashed();
    const building = { goesOn: true };
    const second = changeAndBuild('changed').finally(() => (building.goesOn = false));
    let starts = 0;
    for (; building.goesOn; starts += 1) expect((await start()).stdout).to.include('listTokens');
    await second;
    expect(starts).to.be.above(1);
    expect(listHashed()).to.include.members(first).and.to.have.length.above(first.length);
    await changeAndBuild('changedAgain');
    expect(first.filter(name => !listHashed().includes(name))).to.not.deep.equal([]);
    expect((await start()).stdout).to.include('listTokens');
  });
});
