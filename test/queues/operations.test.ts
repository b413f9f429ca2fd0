import { readdirSync } from 'node:fs';
import { expect } from 'chai';

const folder = new URL('../../queues/contract/operations/', import.meta.url);

/** The operations that a file exports, as `file: name`. */
async function operationsIn(file: string): Promise<{ readonly name: string; readonly value: unknown }[]> {
  const exported = (await import(`../../queues/contract/operations/${file}`)) as Record<string, unknown>;
  return Object.entries(exported)
    .filter(([, value]) => isOperation(value))
    .map(([name, value]) => ({ name: `${file}: ${name}`, value }));
}

function isOperation(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

describe('the list of operations', () => {
  it('has every operation that a file of its folder declares', async () => {
    const files = readdirSync(folder).filter(name => name.endsWith('.ts') && name !== 'index.ts');
    const declared = (await Promise.all(files.map(operationsIn))).flat();
    // Imported like the others: in tests a static import may be another instance of the module.
    const { operationNames, operationOf } = await import('../../queues/contract/operations/index.ts');
    const listed = new Set<unknown>(operationNames.map(operationOf));
    expect(declared).to.have.lengthOf.at.least(listed.size);
    expect(declared.filter(({ value }) => !listed.has(value)).map(({ name }) => name)).to.deep.equal([]);
  });
});
