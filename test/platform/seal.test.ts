import { expect } from 'chai';
import fc from 'fast-check';
import { makeSeal } from '../../platform/seal.ts';

const seal = makeSeal('a secret key of at least thirty-two characters');

describe('the seal', () => {
  it('gives back every JSON value under its own label', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), async (value, label) => {
        expect(await seal.open(await seal.seal(value, label), label)).to.deep.equal(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it('does not open under another label, another key, or when a byte was changed', async () => {
    const sealed = await seal.seal({ cpf: '123.456.789-09' }, 'job-1');
    const bytes = Buffer.from(sealed, 'base64');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    const another = makeSeal('another secret key of thirty-two characters');
    const tries = [
      seal.open(sealed, 'job-2'),
      another.open(sealed, 'job-1'),
      seal.open(bytes.toString('base64'), 'job-1'),
    ];
    const results = await Promise.allSettled(tries);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
  });

  it('opens what was sealed with a previous key, and seals it anew with its own', async () => {
    const [old, older] = ['the key before, of thirty-two characters', 'and the key before it, as long as it'];
    const rotated = makeSeal({
      secretKey: 'the new key, of thirty-two characters',
      secretKeyPrevious: [old, older],
    });
    const onlyNew = makeSeal('the new key, of thirty-two characters');
    const long = 'a'.repeat(200_000);
    for (const [key, value] of [
      [old, 'short'],
      [older, long],
    ] as const) {
      const sealed = await makeSeal(key).seal(value, 'x');
      expect(await rotated.open(sealed, 'x')).to.equal(value);
      const anew = await rotated.sealAnew(sealed, 'x');
      expect(await onlyNew.open(anew, 'x')).to.equal(value);
      expect(await rotated.sealAnew(anew, 'x')).to.equal(anew);
    }
    const sealed = await rotated.seal('own', 'x');
    expect(await onlyNew.open(sealed, 'x')).to.equal('own');
    expect(await rotated.open(sealed, 'y').catch(() => 'refused')).to.equal('refused');
    expect(await onlyNew.sealAnew(await makeSeal(old).seal(1, 'x'), 'x').catch(() => 'refused')).to.equal(
      'refused',
    );
  });

  it('shows nothing of what it holds, not even that two values are equal', async () => {
    const value = { question: 'Qual é o horário da secretaria?' };
    expect(await seal.seal(value, 'x')).to.not.equal(await seal.seal(value, 'x'));
    expect(Buffer.from(await seal.seal(value, 'x'), 'base64').toString()).to.not.include('secretaria');
  });

  it('takes less than a third of the room of ordinary text', async () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `A secretaria atende na sala ${at % 97}. `).join(
      '',
    );
    expect((await seal.seal({ text }, 'x')).length).to.be.below(text.length / 3);
  });

  it('opens what is large enough to be deflated in a thread', async () => {
    const value = { text: 'A secretaria atende na sala 7. '.repeat(10_000) };
    expect(await seal.open(await seal.seal(value, 'x'), 'x')).to.deep.equal(value);
  });

  it('gives equal values the same mac and different ones another', () => {
    expect(seal.mac({ a: 1 })).to.equal(seal.mac({ a: 1 }));
    expect(seal.mac({ a: 1 })).to.not.equal(seal.mac({ a: 2 }));
  });

  it('gives a value another mac and another name under another key, so that nobody can guess them', () => {
    const another = makeSeal('another secret key of thirty-two characters');
    expect(seal.mac({ a: 1 })).to.not.equal(another.mac({ a: 1 }));
    expect(seal.nameOf({ a: 1 })).to.not.equal(another.nameOf({ a: 1 }));
  });
});
