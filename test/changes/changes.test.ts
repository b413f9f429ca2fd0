import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../support/source-files.ts';
import changes from './changes.json' with { type: 'json' };

const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');

describe('the list of changes that tests see', () => {
  it('names for each a piece that its file has once, and a test that there is', () => {
    const wrong = changes.filter(({ file, from, to, test, name }) => {
      const isMade = from !== to && read(file).split(from).length === 2;
      return !isMade || !read(test).includes(name);
    });
    expect(wrong.map(({ change }) => change)).to.deep.equal([]);
  });

  it('has each once', () => {
    const sentences = changes.map(({ change }) => change);
    expect(sentences).to.deep.equal([...new Set(sentences)]);
  });
});
