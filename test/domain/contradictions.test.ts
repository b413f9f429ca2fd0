import assert from 'node:assert/strict';
import { findContradictions, type Passage } from '../../workers/domain/contradictions/find-contradictions.ts';
import { runToEnd } from '../support/run-to-end.ts';

const marked = (passages: readonly Passage[]) =>
  runToEnd(findContradictions(passages)).map(({ kind, places, pairs }) => [
    kind,
    ...places.map(({ id, mark }) => passages.find(each => each.id === id)?.content.slice(mark.from, mark.to)),
    ...(pairs > 1 ? [pairs] : []),
  ]);
const between = (one: string, other: string) =>
  marked([
    { id: '1', content: other },
    { id: '2', content: one },
  ]);

describe('contradictions of passages', () => {
  const cases = [
    [
      'price',
      'A segunda via do diploma custa R$ 180,00.',
      'A segunda via do diploma custa 220 reais.',
      'R$ 180,00',
      '220 reais',
    ],
    [
      'date',
      'A matrícula dos calouros vai até 14 de março.',
      'Calouros fazem a matrícula até 21/03.',
      '14 de março',
      '21/03',
    ],
    [
      'number',
      'Cada aluno leva 6 obras da biblioteca por 14 dias.',
      'Da biblioteca, o aluno leva 8 obras.',
      '6',
      '8',
    ],
    ['time', 'A secretaria acadêmica abre às 8h.', 'A secretaria acadêmica abre às 9h30.', '8h', '9h30'],
    [
      'weekday',
      'A ouvidoria da reitoria atende às terças.',
      'A ouvidoria da reitoria atende às quintas.',
      'terças',
      'quintas',
    ],
    [
      'negation',
      'O estacionamento aceita cartão de débito.',
      'O estacionamento não aceita cartão de débito.',
      'aceita',
      'não aceita',
    ],
  ] as const;
  for (const [kind, one, other, mark, otherMark] of cases)
    it(`of another ${kind} are found, with the place in each`, () => {
      assert.deepEqual(between(one, other), [[kind, mark, otherMark]]);
    });

  const others = [
    ['courses', 'O curso de Direito tem 60 vagas por ano.', 'O curso de Medicina tem 40 vagas por ano.'],
    [
      'longer names',
      'A coordenação de Física tem 12 professores.',
      'A coordenação de Educação Física tem 20 professores.',
    ],
    [
      'shifts',
      'O curso noturno de administração dura 10 semestres.',
      'O curso matutino de administração dura 8 semestres.',
    ],
    [
      'years',
      'O vestibular de 2026 tem inscrições até 10 de maio.',
      'O vestibular de 2027 tem inscrições até 12 de maio.',
    ],
    ['calls', 'A 1ª chamada do vestibular sai em 3 de maio.', 'A 2ª chamada do vestibular sai em 9 de maio.'],
    ['laws', 'A isenção segue a Lei nº 9.508.', 'A isenção segue a Lei nº 13.656.'],
    [
      'conditions',
      'Quem não enviar o diploma perde a vaga.',
      'Quem enviar o diploma não perde a vaga reservada.',
    ],
  ] as const;
  for (const [of, one, other] of others)
    it(`are none where ${of} differ`, () => {
      assert.deepEqual(between(one, other), []);
    });

  it('are told once for two versions of a document, whose years differ', () => {
    const edital = (year: number, days: readonly number[]) =>
      ['inscrição', 'prova escrita', 'entrevista'].map((what, at) => ({
        id: `${year} ${at}`,
        documentId: String(year),
        content: `## Edital ${year}\n\nA data da ${what} do processo seletivo é ${days[at]} de maio.`,
      }));
    const found = runToEnd(findContradictions([...edital(2026, [3, 10, 17]), ...edital(2027, [4, 11, 18])]));
    assert.deepEqual(
      found.map(({ kind, pairs }) => [kind, pairs]),
      [['versions', 3]],
    );
  });

  it('are looked for only of the passages that are asked for', () => {
    const passages = [
      { id: '1', content: 'A segunda via do diploma custa R$ 180,00.' },
      { id: '2', content: 'A segunda via do diploma custa R$ 220,00.' },
      { id: '3', content: 'A segunda via do diploma custa R$ 260,00.' },
    ];
    const found = runToEnd(findContradictions(passages, { isAsked: id => id === '3' }));
    assert.deepEqual(
      found.map(({ places }) => places.map(({ id }) => id)),
      [
        ['3', '1'],
        ['3', '2'],
      ],
    );
  });
});
