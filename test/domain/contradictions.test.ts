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
    { id: '1', content: one },
    { id: '2', content: other },
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
    [
      'price',
      'O estacionamento para alunos custa R$ 8,00 por dia.',
      'O estacionamento é gratuito para alunos.',
      'R$ 8,00',
      'gratuito',
    ],
    ['price', 'A ementa sai de graça.', 'A ementa sai por R$ 18,00.', 'graça', 'R$ 18,00'],
    [
      'negation',
      'A oficina de redação é presencial.',
      'A oficina de redação é a distância.',
      'presencial',
      'distância',
    ],
    ['time', 'O coral ensaia à tarde.', 'O coral ensaia pela manhã.', 'tarde', 'manhã'],
    [
      'negation',
      'A presença na aula magna é opcional.',
      'A presença na aula magna é obrigatória.',
      'opcional',
      'obrigatória',
    ],
  ] as const;
  for (const [kind, one, other, mark, otherMark] of cases)
    it(`of another ${kind} are found, with the place in each`, () => {
      assert.deepEqual(between(one, other), [[kind, mark, otherMark]]);
    });

  it('are found under headings that name only a kind of text, and not under those that name two things', () => {
    const under = (heading: string, price: string) =>
      `## ${heading}\n\nA segunda via do diploma custa R$ ${price}.`;
    const found = [['price', 'R$ 180', 'R$ 220']];
    assert.deepEqual(
      between(under('Secretaria > Taxas', '180'), under('Perguntas frequentes', '220')),
      found,
    );
    assert.deepEqual(between(under('Direito', '180'), under('Medicina', '220')), []);
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
    ['payers', 'O simpósio custa R$ 50 para sócios.', 'O simpósio custa R$ 100 para não sócios.'],
    [
      'ways of payment',
      'A colônia de férias custa R$ 300 no pix.',
      'A colônia de férias custa R$ 330 no cartão.',
    ],
    ['rows of fees', '| Análise de água, parâmetro | R$ 22 |', '| Análise de solo, parâmetro | R$ 33 |'],
    ['rooms', 'A sala 15 tem 40 lugares.', 'A sala 16 tem 60 lugares.'],
    [
      'the things that are at a distance',
      'O curso de Biblioteconomia é a distância.',
      'As provas do curso de Biblioteconomia são presenciais.',
    ],
    [
      'what is also so',
      'O curso de Biblioteconomia é noturno.',
      'O curso de Biblioteconomia também é oferecido de manhã.',
    ],
    [
      'what may be so, too',
      'A consulta da psicologia pode ser feita online.',
      'A consulta da psicologia pode ser feita presencialmente no núcleo.',
    ],
    ['lots', 'O primeiro lote de ingressos custa R$ 90.', 'O segundo lote de ingressos custa R$ 120.'],
    [
      'examples',
      'Por exemplo, quem tira 7 na prova e 5 no trabalho fica com média 6.',
      'Por exemplo, quem tira 8 na prova e 6 no trabalho fica com média 7.',
    ],
    ['channels', 'O WhatsApp da secretaria é (11) 94002-1900.', 'O telefone da secretaria é (11) 4002-2900.'],
    [
      'ordinary and exceptional days',
      'Durante as férias a secretaria atende das 9h às 16h.',
      'A secretaria atende das 8h às 21h.',
    ],
    ['calls', 'A 1ª chamada do vestibular sai em 3 de maio.', 'A 2ª chamada do vestibular sai em 9 de maio.'],
    ['laws', 'A isenção segue a Lei nº 9.508.', 'A isenção segue a Lei nº 13.656.'],
    [
      'conditions',
      'Quem não enviar o diploma perde a vaga.',
      'Quem enviar o diploma não perde a vaga reservada.',
    ],
    [
      'the months of a calendar',
      '## Calendário de 2025 > ABRIL\n\nDe 1 a 30: pedido de colação de grau de maio, exclusivo para concluintes.',
      '## Calendário de 2025 > MAIO\n\nDe 1 a 30: pedido de colação de grau de junho, exclusivo para concluintes.',
    ],
    [
      'the headings inside of a passage',
      '**Prova de violino**\n\nO vídeo da prova dura no máximo 4 minutos.\n\n**Prova de canto**\n\nO candidato entra sozinho.',
      '**Prova de canto**\n\nO vídeo da prova dura no máximo 9 minutos.\n\n**Prova de violino**\n\nO candidato entra sozinho.',
    ],
    [
      'codes',
      '| DA1NHT3005-13SA | Bases da química experimental |',
      '| DA1NHT1020-13SA | Bases da química experimental |',
    ],
    [
      'the numbers of sections',
      'Estatística: amostragem; 6.2 Regressão linear múltipla.',
      'Economia: preços; 9.11 Regressão linear múltipla.',
    ],
    [
      'the numbers of headings',
      '## 1. Informações gerais da bolsa > 1.2. Proponentes\n\nQualquer estudante.',
      '## 1. Informações gerais da bolsa > 1.3. Requisitos\n\nMatrícula regular.',
    ],
    [
      'the pages of a table of contents',
      '## Sumário\n\n| Do cancelamento | 40 |\n| Do abono das faltas por gestação | 36 |',
      '## Sumário\n\n| Do trancamento | 21 |\n| Do abono das faltas por gestação | 23 |',
    ],
    [
      'the dates of laws',
      'O ponto é facultativo pela Portaria MGI nº 9.783, de 27 de dezembro de 2024.',
      'O ponto é facultativo pela Portaria MGI nº 8.617, de 26 de dezembro de 2024.',
    ],
    [
      'cases that a clause denies',
      'Se o acadêmico, no prazo do professor, não entregar as atividades do regime domiciliar, a frequência fica em aberto.',
      'Cabe ao acadêmico entregar as atividades do regime domiciliar ao professor.',
    ],
    [
      'the things that a participle denies',
      'As vagas não preenchidas no vestibular vão para o edital seguinte.',
      'As vagas preenchidas no vestibular são 40 por curso.',
    ],
    [
      'the verbs behind an auxiliary',
      'A carga horária das provas optativas não deverá ser computada no plano de ensino da disciplina.',
      'O plano de ensino da disciplina deverá prever a carga horária das provas optativas.',
    ],
  ] as const;
  for (const [of, one, other] of others)
    it(`are none where ${of} differ`, () => {
      assert.deepEqual(between(one, other), []);
    });

  it('are told of the value that the other statement lacks, also beside others of its kind', () => {
    const exams = (history: number, geography: number) =>
      `A prova de história dura ${history} horas e a de geografia, ${geography} horas.`;
    assert.deepEqual(between(exams(4, 3), exams(3, 3)), [['number', '4 horas', '3 horas']]);
    assert.deepEqual(between(exams(3, 4), exams(4, 3)), [['number', '3 horas', '4 horas']]);
    const prices = 'O curso de oratória custa R$ 500 à vista ou R$ 560 parcelado.';
    assert.deepEqual(between(prices, 'O curso de oratória custa R$ 560 parcelado.'), []);
  });

  const documents = (texts: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(texts).flatMap(([documentId, contents]) =>
      contents.map((content, at) => ({ id: `${documentId} ${at}`, content, documentId })),
    );

  it('are none where both documents say both', () => {
    const review = (days: number) =>
      `O acadêmico tem direito à revisão da avaliação, por requerimento protocolado na secretaria, em até ${days} dias úteis da divulgação.`;
    const recount = (days: number) =>
      `O acadêmico tem direito à recontagem da frequência, por requerimento protocolado na secretaria, em até ${days} dias úteis da divulgação.`;
    assert.deepEqual(
      marked(documents({ regulamento: [review(3), recount(5)], guia: [recount(5), review(3)] })),
      [],
    );
    assert.deepEqual(
      marked(documents({ regulamento: [review(3), recount(5)], guia: [recount(7), review(3)] })),
      [['number', '5 dias', '7 dias']],
    );
  });

  it('are none in one document that repeats a sentence for each of several things, or lists them in a table', () => {
    const video = (minutes: number) =>
      `Repertório ${minutes}.\n\nO vídeo III dura no máximo ${minutes} minutos.`;
    assert.deepEqual(marked(documents({ edital: [4, 8, 12].map(video) })), []);
    const holiday = (day: string) => `| ${day} | sexta-feira | Ponto facultativo do calendário acadêmico |`;
    assert.deepEqual(marked(documents({ portaria: ['2 de maio', '21 de novembro'].map(holiday) })), []);
    assert.deepEqual(
      marked(documents({ guia: ['2 de maio'].map(holiday), portaria: ['9 de maio'].map(holiday) })),
      [['date', '2 de maio', '9 de maio']],
    );
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
