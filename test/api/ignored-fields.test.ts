import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { validateBody } from '../../api/guards/validate.ts';
import { object, optional, text } from '../../queues/contract/shape.ts';

const shape = object({ known: optional(text()) });

/** The header that names fields which nobody knows. */
function headerOf(names: readonly string[]): string {
  const headers = new Map<string, string>();
  const ctx = { state: {}, set: (name: string, value: string) => headers.set(name, value) };
  validateBody(ctx as unknown as Ctx, shape, Object.fromEntries(names.map(name => [name, 1])));
  return headers.get('Parley-Ignored-Fields') ?? '';
}

describe('the header of ignored fields', () => {
  it('names one without a name, and one of any length by its start with an ellipsis', () => {
    const plain = 'a'.repeat(100);
    const [empty, whole, long] = headerOf(['', plain, 'b'.repeat(5_000)]).split(', ');
    expect([empty, whole]).to.deep.equal(['%22%22', plain]);
    expect(long).to.match(/^b{100,}%E2%80%A6$/);
  });

  it('has at most 2 kB, and whole characters only', () => {
    for (const character of ['a', 'é', '课', '😀', '(', '\u0000', '\ud800', '😀\ud800']) {
      const header = headerOf(Array.from({ length: 12 }, (_, at) => `${at}${character.repeat(3_000)}`));
      expect(header.length).to.be.within(1_000, 2_048);
      const names = header.split(', ').map(name => decodeURIComponent(name));
      expect(names).to.have.length(10);
      for (const name of names) expect(name.isWellFormed() && name.endsWith('…')).to.equal(true);
      const short = headerOf([character.repeat(2)]);
      expect(short).to.not.include('%E2%80%A6');
    }
  });
});
