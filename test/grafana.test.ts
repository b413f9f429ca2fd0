import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { folderOf, sourceFiles } from './support/source-files.ts';

const docs = (...path: string[]) => readFileSync(join(import.meta.dirname, '..', 'docs', ...path), 'utf8');

let figures: ReadonlySet<string> | undefined;
const countedFigures = () => (figures ??= readCountedFigures());

function readCountedFigures(): ReadonlySet<string> {
  const counting = sourceFiles().filter(({ path }) =>
    ['api', 'platform', 'queues', 'workers'].includes(folderOf(path)),
  );
  return new Set(counting.flatMap(({ code }) => code.match(/(?<=')parley_[a-z_]+(?=')/g) ?? []));
}

describe('the alert rules for Prometheus', () => {
  const rules = docs('grafana', 'alerts.yml');
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? '');

  it('ask for no figure that nobody counts, each for one at least', () => {
    const expressions = [...rules.matchAll(/expr: (.*)/g)].map(([, expression]) => expression ?? '');
    expect(expressions).to.have.length(names.length);
    const counted = countedFigures();
    for (const expression of expressions) {
      const asked = (expression.match(/parley_[a-z_]+/g) ?? []).map(name => name.replace(/_bucket$/, ''));
      expect(asked, expression).to.not.be.empty;
      expect(asked.filter(name => !counted.has(name))).to.deep.equal([]);
    }
  });

  it('stand in the runbook, each with what to do', () => {
    const runbook = docs('operations.md');
    expect(names).to.not.be.empty;
    for (const name of names)
      expect(runbook).to.match(new RegExp(`^- (?:\`Parley\\w+\`, )?\`${name}\`[^:]*: \\S`, 'm'));
  });
});

describe('the dashboard for Grafana', () => {
  it('asks for no figure that nobody counts', () => {
    const dashboard = docs('grafana', 'parley.json');
    const asked = new Set(dashboard.match(/parley_[a-z_]+(?=[[{)])/g));
    const counted = countedFigures();
    expect([...asked].map(name => name.replace(/_bucket$/, ''))).to.not.be.empty;
    expect([...asked].filter(name => !counted.has(name.replace(/_bucket$/, '')))).to.deep.equal([]);
  });
});
