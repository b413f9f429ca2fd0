import { expect } from 'chai';
import fc from 'fast-check';
import { maskJson, maskValue, unmaskJson } from '../../workers/domain/masking/mask-value.ts';
import { MAX_KEPT_VALUES, makeMasking, maskAlone } from '../../workers/domain/masking/masking.ts';
import { identifierSamples, strippedOf } from '../support/identifier-samples.ts';

const anySample = fc.oneof(...Object.values(identifierSamples));
const RUNS = 1_000;

/** Words, numbers that are no identifiers, and signs, also those of tokens. */
const word = fc.constantFrom(
  'meu',
  'número',
  'é',
  'CPF:',
  'tel',
  '(',
  ')',
  '"',
  '\\',
  '\n',
  'R$ 1.234,56',
  '31/12/2026',
  'às 14h30',
  'nº 7',
  '—',
  '👍',
  '[',
  ']',
  '*',
  'email=',
  '\u200b',
  '+',
  '%',
  'x1',
);
const lookAlike = fc.constantFrom(
  '[CPF_1]',
  'cpf_1',
  '\\[CPF\\_1\\]',
  '[LITERAL_1]',
  '[Cartão 2]',
  '［EMAIL_1］',
  '%5BCEP_1%5D',
  '[C\u200bPF_1]',
  'PIX_1',
);
const glue = fc.constantFrom(' ', ', ', '; ', '\n', ' e ');

describe('identifiers in a text', () => {
  for (const [name, samples] of Object.entries(identifierSamples)) {
    it(`are masked, however they are written, and put back as they were: ${name}`, () => {
      fc.assert(
        fc.property(
          samples,
          fc.constantFrom('Anote: ', '', '"', 'é:'),
          fc.constantFrom('.', '', ' ok', '"}'),
          (sample, before, after) => {
            const text = `${before}${sample.written}${after}`;
            const masking = makeMasking();
            const masked = masking.mask(text);
            expect(masked).to.match(/\[[A-Z]+_1\]/);
            expect(strippedOf(masked)).to.not.include(strippedOf(sample.plain));
            expect(strippedOf(masked), masked).to.equal(`${strippedOf(before)}|${strippedOf(after)}`);
            expect(masking.unmask(masked)).to.equal(text);
          },
        ),
        { numRuns: RUNS },
      );
    });

    it(`have one token in all spellings: ${name}`, () => {
      fc.assert(
        fc.property(samples, sample => {
          const masking = makeMasking();
          expect(masking.mask(sample.written)).to.equal(masking.mask(sample.plain));
        }),
        { numRuns: RUNS },
      );
    });
  }

  it('of every kind leave nothing in a text with others, numbers and signs', () => {
    const parts = fc.array(
      fc.tuple(
        fc.oneof(
          anySample,
          word.map(written => ({ written, plain: '' })),
        ),
        glue,
      ),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(parts, written => {
        const text = written.map(([part, between]) => `${part.written}${between}`).join('');
        const masked = strippedOf(maskAlone(text));
        for (const [{ plain }] of written.filter(([part]) => part.plain !== ''))
          expect(masked, text).to.not.include(strippedOf(plain));
      }),
      { numRuns: RUNS },
    );
  });

  it('are put back exactly, also among texts that look like tokens', () => {
    const part = fc.oneof(
      anySample.map(({ written }) => written),
      word,
      lookAlike,
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.constantFrom('', ' '), (parts, between) => {
        const text = parts.join(between);
        const masking = makeMasking();
        const masked = masking.mask(text);
        const back = masking.unmask(masked);
        // A value that stands there twice is put back as it was written first.
        if (masked.match(/\[[A-Z]+_\d+\]/g)?.length === masking.findNewValues()?.length)
          expect(back).to.equal(text);
        expect(maskAlone(back)).to.equal(masked);
      }),
      { numRuns: 3 * RUNS },
    );
  });
});
