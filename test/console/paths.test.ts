import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { languages } from '../../commands/console-texts.mjs';
import { paths } from '../../console/paths.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { provideFreshPages } from '../support/program.ts';
import { root } from '../support/source-files.ts';

/** A phone has to fetch these before the console shows, once for each version. */
const MAX_BYTES = 180_000;

describe('the console', () => {
  it('calls the operations where the contract has them', () => {
    for (const [name, path] of Object.entries(paths))
      expect(operationOf(name as OperationName).path, name).to.equal(path);
  });

  it('has at most 180 KB in each language, compressed, with its font', async () => {
    await provideFreshPages();
    const folder = join(root, 'dist', 'console');
    const sizeOf = (name: string) => gzipSync(readFileSync(join(folder, name))).length;
    // Two belong to pages of their own, at / and /docs.
    const names = readdirSync(folder).filter(name => !/\.(en|es)\.|^(docs-page|welcome)\./.test(name));
    expect(names.length).to.be.above(3);
    for (const language of ['pt', ...languages]) {
      const fetched = names.map(
        name =>
          [name.replace('.', `.${language}.`), name].find(each => existsSync(join(folder, each))) ?? name,
      );
      if (language !== 'pt') expect(fetched).to.include(`main.${language}.js`);
      const total = fetched.reduce((sum, name) => sum + sizeOf(name), 0);
      expect(total, language).to.be.below(MAX_BYTES);
    }
  });
});
