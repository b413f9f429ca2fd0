import { expect } from 'chai';
import fc from 'fast-check';
import { makeSeal } from '../../queues/seal.ts';

const seal = makeSeal('a secret key of at least thirty-two characters');

describe('the seal', () => {
  it('gives back every JSON value under its own label', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, label) => {
        expect(seal.open(seal.seal(value, label), label)).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not open under another label, another key, or when a byte was changed', () => {
    const sealed = seal.seal({ cpf: '123.456.789-09' }, 'job-1');
    const bytes = Buffer.from(sealed, 'base64');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    expect(() => seal.open(sealed, 'job-2')).to.throw();
    expect(() => makeSeal('another secret key of thirty-two characters').open(sealed, 'job-1')).to.throw();
    expect(() => seal.open(bytes.toString('base64'), 'job-1')).to.throw();
  });

  it('shows nothing of what it holds, not even that two values are equal', () => {
    const value = { question: 'Qual é o horário da secretaria?' };
    expect(seal.seal(value, 'x')).to.not.equal(seal.seal(value, 'x'));
    expect(Buffer.from(seal.seal(value, 'x'), 'base64').toString()).to.not.include('secretaria');
  });

  it('takes less than a third of the room of ordinary text', () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `A secretaria atende na sala ${at % 97}. `).join(
      '',
    );
    expect(seal.seal({ text }, 'x').length).to.be.below(text.length / 3);
  });

  it('gives equal values the same mac and different ones another', () => {
    expect(seal.mac({ a: 1 })).to.equal(seal.mac({ a: 1 }));
    expect(seal.mac({ a: 1 })).to.not.equal(seal.mac({ a: 2 }));
  });
});
