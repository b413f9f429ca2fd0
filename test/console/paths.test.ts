import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
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

  it('has at most 180 KB, compressed, with its font', async () => {
    await provideFreshPages();
    const folder = join(root, 'dist', 'console');
    const sizes = readdirSync(folder).map(name => gzipSync(readFileSync(join(folder, name))).length);
    expect(sizes.length).to.be.above(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(MAX_BYTES);
  });
});
