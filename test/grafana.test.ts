import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { folderOf, sourceFiles } from './support/source-files.ts';

describe('the dashboard for Grafana', () => {
  it('asks for no figure that nobody counts', () => {
    const dashboard = readFileSync(join(import.meta.dirname, '..', 'docs', 'grafana', 'parley.json'), 'utf8');
    const asked = new Set(dashboard.match(/parley_[a-z_]+(?=[[{)])/g));
    const counting = sourceFiles().filter(({ path }) => ['api', 'workers'].includes(folderOf(path)));
    const counted = new Set(counting.flatMap(({ code }) => code.match(/(?<=')parley_[a-z_]+(?=')/g) ?? []));
    expect([...asked].map(name => name.replace(/_bucket$/, ''))).to.not.be.empty;
    expect([...asked].filter(name => !counted.has(name.replace(/_bucket$/, '')))).to.deep.equal([]);
  });
});
