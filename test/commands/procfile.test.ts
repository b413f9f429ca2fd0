import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseProcfile } from '../../commands/launcher/launch.ts';
import { root } from '../support/source-files.ts';

describe('a Procfile', () => {
  it('names processes, a line each, and may hold comments', () => {
    const text = '# all\nweb: node dist/api/main.js  --flag\n\nworker-2:node a.js\r\n';
    expect(parseProcfile(text)).to.eql([
      { name: 'web', command: ['node', 'dist/api/main.js', '--flag'] },
      { name: 'worker-2', command: ['node', 'a.js'] },
    ]);
    expect(() => parseProcfile('just words')).to.throw('just words');
  });

  it('for development has the same processes, from the sources', async () => {
    const [built, sources] = await Promise.all(
      ['Procfile', 'Procfile.dev'].map(async name => parseProcfile(await readFile(join(root, name), 'utf8'))),
    );
    expect(sources?.map(({ name }) => name)).to.eql(built?.map(({ name }) => name));
    const entryOf = ({ command }: { command: readonly string[] }) => command.at(-1) ?? '';
    const asSource = (path: string) => path.replace(/^dist\/(.*)\.js$/, '$1.ts');
    expect(sources?.map(entryOf)).to.eql(built?.map(line => asSource(entryOf(line))));
  });
});
