import { expect } from 'chai';
import fc from 'fast-check';
import { makeSupport } from '../../workers/domain/alignment/support.ts';
import { makeSentenceGate } from '../../workers/domain/alignment/withhold-sentences.ts';

const gateOf = () => makeSentenceGate(sentence => !sentence.includes('95'), 'Não sei.');
const withhold = (text: string) => {
  const gate = gateOf();
  return gate.add(text) + gate.end();
};

describe('The gate of sentences', () => {
  it('replaces the first sentence that is not supported, leaves out the others, and keeps all blanks between the rest', () => {
    expect(withhold('Olá.\n\nCusta R$ 95,00. Pode pagar até o dia 95!\n- É isso.\n')).to.equal(
      'Olá.\n\nNão sei.\n- É isso.\n',
    );
    expect([withhold('95'), withhold('')]).to.deep.equal(['Não sei.', '']);
  });

  it('takes a number for a list mark only where it begins a line', () => {
    const support = makeSupport();
    const withheld = (text: string) => {
      const gate = makeSentenceGate(support.openCheck(), 'Não sei.');
      return gate.add(text) + gate.end();
    };
    expect(withheld('Quanto custa? 950. Pague.')).to.equal('Quanto custa? Não sei.');
    expect(withheld('Assim:\n1. Abra o portal.\n2. Pague.')).to.equal('Assim:\n1. Abra o portal.\n2. Pague.');
  });

  it('gives no sentence out before it is whole', () => {
    const gate = gateOf();
    expect([gate.add('Custa R$ 9'), gate.add('5,00')]).to.deep.equal(['', '']);
    expect([gate.add('.'), gate.add(' E')]).to.deep.equal(['', 'Não sei.']);
    expect([gate.add(' agora?'), gate.add(' S')]).to.deep.equal(['', ' E agora?']);
    expect([gate.add('im.'), gate.end()]).to.deep.equal(['', ' Sim.']);
  });

  it('gives the same for a text in pieces as for the whole', () => {
    const part = fc.constantFrom(
      'Custa',
      ' 95',
      '. ',
      '\n',
      ' ',
      'Dr',
      '1',
      '! ',
      '…',
      '😀',
      '\n\n- ',
      'x'.repeat(900),
      ' 12.5',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), parts => {
        const gate = gateOf();
        const given = parts.map(piece => gate.add(piece)).join('') + gate.end();
        expect(given).to.equal(withhold(parts.join('')));
        expect(given).to.not.include('95');
      }),
    );
  });

  it('holds back no more than a bounded text', () => {
    expect(gateOf().add('palavra '.repeat(1_000)).length).to.be.above(5_000);
  });
});
