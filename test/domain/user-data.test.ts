import { expect } from 'chai';
import { limitUserData, mergeUserData } from '../../workers/domain/user-data.ts';

describe('what is known of a person', () => {
  it('stays until it is given anew, and goes where it is given empty', () => {
    const kept = { name: 'Ana', email: 'ana@uni.example', curso: 'Direito', turno: 'noite' };
    expect(mergeUserData(kept)).to.deep.equal(kept);
    expect(mergeUserData(kept, { name: 'Bia', email: '', curso: null, turno: [] })).to.deep.equal({
      name: 'Bia',
    });
  });

  it('is remembered as far as filters can read it, within bounds', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]));
    const odd = { deep: { a: 1 }, list: [{ a: 1 }], long: 'x'.repeat(1_001) };
    const kept = limitUserData({ ...odd, ...many, name: 'Ana', cursos: ['Direito', 'Letras'] });
    expect(kept).to.include({ name: 'Ana', k199: 199 });
    for (const gone of ['deep', 'list', 'long', 'k0']) expect(kept).to.not.have.property(gone);
    expect(kept['cursos']).to.deep.equal(['Direito', 'Letras']);
    expect(Object.keys(kept)).to.have.length(51);
  });
});
