import { expect } from 'chai';
import fc from 'fast-check';
import { maskJson, maskValue, unmaskJson } from '../../workers/domain/masking/mask-value.ts';
import { MAX_KEPT_VALUES, makeMasking, maskAlone } from '../../workers/domain/masking/masking.ts';
import { identifierSamples, strippedOf } from './identifier-samples.ts';

const anySample = fc.oneof(...Object.values(identifierSamples));
const RUNS = 1_000;

/** Words, numbers that are no identifiers, and signs, also of tokens. */
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
      { maxLength: 12 },
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

describe('the tokens of a conversation', () => {
  const cpf = '529.982.247-25';
  const email = 'rui@exemplo.com.br';

  it('stay the same in later turns, which keep on counting', () => {
    const first = makeMasking();
    expect(first.mask(`${cpf} ${email}`)).to.equal('[CPF_1] [EMAIL_1]');
    const kept = first.findNewValues();
    expect(kept?.map(({ text }) => text)).to.deep.equal([cpf, email]);
    const next = makeMasking(kept);
    expect(next.mask(`111.444.777-35, RUI@Exemplo.com.br`)).to.equal('[CPF_2], [EMAIL_1]');
    expect(next.unmask('[CPF_1] [CPF_2] [EMAIL_1]')).to.equal(`${cpf} 111.444.777-35 ${email}`);
    expect(next.findNewValues()).to.have.length(3);
    expect(makeMasking(kept).findNewValues()).to.equal(undefined);
  });

  it('are kept up to a limit; the others hold for their turn', () => {
    const phones = Array.from({ length: MAX_KEPT_VALUES + 5 }, (_, at) => `113${3_000_000 + at}`);
    const masking = makeMasking();
    const masked = masking.mask(phones.join(', '));
    expect(masked).to.include(`[TELEFONE_${phones.length}]`).and.not.match(/\d{5}/);
    expect(masking.unmask(masked)).to.equal(phones.join(', '));
    const kept = masking.findNewValues();
    expect(kept).to.have.length(MAX_KEPT_VALUES);
    expect(makeMasking(kept).findNewValues()).to.equal(undefined);
  });

  // biome-ignore format: a list
  const spellings = [
    '[cpf_1]', '\\[CPF\\_1\\]', '\\[CPF_1\\]', '[CPF\\_1]', 'CPF_1', '[CPF 1]', '[CPF-1]', '%5BCPF_1%5D',
    '［ＣＰＦ＿１］',
  ];
  for (const spelling of spellings)
    it(`are recognized when a model writes ${spelling}`, () => {
      const masking = makeMasking();
      masking.mask(cpf);
      expect(masking.unmask(`É **${spelling}**, certo?`)).to.equal(`É **${cpf}**, certo?`);
    });

  it('that nobody gave stay text', () => {
    const masking = makeMasking();
    masking.mask(cpf);
    for (const text of ['[CPF_2]', '[EMAIL_1]', '[ABC_1]', 'XCPF_1', 'CPF_10', '[CPF_01]'])
      expect(masking.unmask(text)).to.equal(text);
  });

  it('that a person writes are neither taken for a value nor lost', () => {
    const masking = makeMasking();
    const asked = `Meu CPF é ${cpf}. O que é [CPF_1]? E cpf_1?`;
    const masked = masking.mask(asked);
    expect(masked).to.equal('Meu CPF é [CPF_1]. O que é [LITERAL_1]? E [LITERAL_2]?');
    expect(masking.unmask(masked)).to.equal(asked);
  });

  it('are found in JSON, also escaped, as numbers and as names of fields', () => {
    const masking = makeMasking();
    const text = JSON.stringify({ cpf: 52_998_224_725, maximum: 11_988_887_777, [email]: [`a "${cpf}"`] });
    expect(maskJson(text, masking)).to.equal(
      '{"cpf":"[CPF_1]","maximum":11988887777,"[EMAIL_1]":["a \\"[CPF_1]\\""]}',
    );
    expect(maskValue({ a: [null, true, 1.5, email] }, masking)).to.deep.equal({
      a: [null, true, 1.5, '[EMAIL_1]'],
    });
    expect(unmaskJson('{"a":"\\u005bEMAIL_1\\u005d","b":7}', masking)).to.equal(`{"a":"${email}","b":7}`);
    expect(masking.mask('"\\u0035\\u0032998224725"')).to.equal('"[CPF_1]"');
  });

  it('become valid JSON again, whatever signs their values have', () => {
    const masking = makeMasking();
    const written = '529\\.982\\.247\\-25';
    masking.mask(written);
    expect(JSON.parse(unmaskJson('{"a":"[CPF_1]"}', masking))).to.deep.equal({ a: written });
    const fenced = unmaskJson('```json\n{"a":"[CPF_1]"}\n```', masking);
    expect(JSON.parse(fenced.split('\n')[1] ?? '')).to.deep.equal({ a: written });
  });

  it('are given to identifiers with unusual signs between, as people write them', () => {
    // biome-ignore format: a table
    const cases = [
      ['CPF', cpf,
        ['529_982_247_25', '529,982,247-25', '529:982:247:25', '529*982*247*25', '529 | 982 | 247 | 25']],
      ['CPF', cpf,
        ['529 • 982 • 247 • 25', '[529][982][247][25]', '5_2_9_9_8_2_2_4_7_2_5', '529.982.247_25']],
      ['CPF', cpf, ['(529)(982)(247)(25', '529.982.247-(25', '529.982.247 (25', '529+982+247+25']],
      ['CEP', '01310-100', ['01310 - 100', '01310 100', '01310 – 100']],
      ['TELEFONE', '(11) 98888-7777',
        ['11_98888_7777', '11*98888*7777', '[11] 98888-7777', '+55 | 11 | 98888 | 7777']],
      ['CARTAO', '4111 1111 1111 1111', ['4111_1111_1111_1111', '4111 | 1111 | 1111 | 1111']],
      ['CNPJ', '11.222.333/0001-81', ['11_222_333_0001_81', '11|222|333|0001|81']],
      ['EMAIL', email, ['rui @ exemplo . com . br', 'rui (at) exemplo.com.br', 'rui[arroba]exemplo.com.br']],
      ['EMAIL', email, ['rui arroba exemplo ponto com ponto br', 'rui at exemplo dot com dot br']],
      ['EMAIL', email, ['rui@exemplo,com.br', 'rui@exemplo,com,br']],
      ['EMAIL', 'rui.sa_1@exemplo.com',
        ['rui ponto sa underline 1 arroba exemplo ponto com', 'rui (ponto) sa_1 (arroba) exemplo.com']],
      ['PIX', '123e4567-e89b-12d3-a456-426614174000',
        ['123e4567 e89b 12d3 a456 426614174000', '123e4567 - e89b - 12d3 - a456 - 426614174000']],
    ] as const;
    for (const [token, plain, spellings] of cases)
      for (const written of spellings) {
        const masking = makeMasking();
        expect(masking.mask(plain)).to.equal(`[${token}_1]`);
        const masked = masking.mask(`Meu dado é ${written}, ok?`);
        // A bracket before the first digit, and behind the last, stays.
        expect(
          masked.replaceAll(/\[\[|\]\]/g, bracket => bracket.charAt(0)),
          written,
        ).to.equal(`Meu dado é [${token}_1], ok?`);
      }
  });

  it('are told by the form where a check digit is mistyped, and by the check digits in any other form', () => {
    const bankLine = '23793.38128 60082.009005 12000.063304 5 75640000019590';
    for (const line of [bankLine, bankLine.replaceAll(/[. ]/g, '')])
      expect(maskAlone(line), line).to.equal('[BOLETO_1]');
    expect(maskAlone('8364 0000 0011 3312 0138 0002 8128 8462 7116 0801 3618 1551')).to.equal('[BOLETO_1]');
    // By chance it has the check digits of a CPF.
    expect(maskAlone('11 90159-1719')).to.equal('[TELEFONE_1]');
  });

  it('are not given to lists, times and words that have such signs', () => {
    for (const text of [
      'Às 08:30, 09:45, 10:15 e 11:00; 1,2,3,4,5,6,7,8,9,10,11.',
      'Placar 2:1, 3:0, 4:4; R$ 1.200,50, 3.400,75; 10:30:45; 11:98888:7777.',
      'Peças 529_982_247_26, 11_222_333_0001_82 e 4111_1111_1111_1112; 52_9982_24_725 e 411_11111_1111_1111.',
      'Escreva até as 10, com cópia; valem 3 (982) e 247 (25) reais, o ponto é do time.',
      'Vendo 15 arrobas de boi, a arroba ponto a ponto.',
      'Look at google.com, meet at home. Fale com a arroba do time.',
      '| 11 | 22 | 3.500 | 2026 |',
    ])
      expect(maskAlone(text)).to.equal(text);
  });

  it('are not given to years, dates, amounts and times', () => {
    const text =
      'Em 2025-2026, 31/12/2026, 2026-12-31 às 10:30, R$ 1.234.567,89, 10.000 vagas, nº 1234, 0800 722 1234.';
    expect(maskAlone(text)).to.equal(text);
  });
});
