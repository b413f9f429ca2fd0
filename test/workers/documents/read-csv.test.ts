import { expect } from 'chai';
import { readCsv } from '../../../workers/knowledge/parser/read-csv.ts';

/** Headings stand in brackets, without those that only end a section. */
const told = (lines: readonly string[]) =>
  readCsv(lines.join('\n')).blocks.flatMap(block => {
    if (block.kind !== 'heading') return 'text' in block ? [block.text] : [];
    return block.text === '' ? [] : [`[${block.level}] ${block.text}`];
  });
type Case = readonly (readonly [lines: readonly string[], texts: readonly string[]])[];
const expectEach = (cases: Case) => {
  for (const [lines, texts] of cases) expect(told(lines)).to.deep.equal(texts);
};

describe('the rows of a CSV', () => {
  it('stand under the row of one cell above them, where it is plainly a heading', () => {
    const header = 'Curso;Vagas;Turno';
    const [direito, letras] = [
      'Curso: Direito\nVagas: 40\nTurno: Noite',
      'Curso: Letras\nVagas: 30\nTurno: Dia',
    ];
    expectEach([
      [
        [header, '1º PERÍODO;;', 'Direito;40;Noite', '2º PERÍODO;;', 'Letras;30;Dia'],
        ['[3] 1º PERÍODO', direito, '[3] 2º PERÍODO', letras],
      ],
      [
        [header, 'Campus Sul', 'Direito;40;Noite', '', 'Campus Norte', 'Letras;30;Dia'],
        ['[3] Campus Sul', direito, '[3] Campus Norte', letras],
      ],
      [
        [
          header,
          'CAMPUS SUL;;',
          '1º PERÍODO;;',
          'Direito;40;Noite',
          '2º PERÍODO;;',
          'Letras;30;Dia',
          'CAMPUS NORTE;;',
          'Letras;30;Dia',
        ],
        ['[3] CAMPUS SUL', '[4] 1º PERÍODO', direito, '[4] 2º PERÍODO', letras, '[3] CAMPUS NORTE', letras],
      ],
      [
        ['Dia;Evento', '10/02;Início', 'Março;', '10/03;Prova'],
        ['Dia: 10/02\nEvento: Início', '[3] Março', 'Dia: 10/03\nEvento: Prova'],
      ],
      // A record without its other values is none.
      [
        ['Curso;Valor', 'Direito;900', 'Letras;', 'Artes;700'],
        ['Curso: Direito\nValor: 900', 'Curso: Letras', 'Curso: Artes\nValor: 700'],
      ],
      [
        ['Curso;Valor', 'Direito;900', 'Artes', 'Letras;700'],
        ['Curso: Direito\nValor: 900', 'Curso: Artes', 'Curso: Letras\nValor: 700'],
      ],
    ]);
  });

  it('have the labels of their own table, where there are several, and none where that is in doubt', () => {
    const first = ['Curso;Mensalidade', 'Direito;1450'];
    const direito = 'Curso: Direito\nMensalidade: 1450';
    const ramal = 'Setor: Secretaria\nRamal: 2010';
    expectEach([
      [
        [...first, '', 'Setor;Ramal', 'Secretaria;2010'],
        [direito, ramal],
      ],
      [
        [...first, ';', 'RAMAIS;', 'Setor;Ramal', 'Secretaria;2010'],
        [direito, '[2] RAMAIS', ramal],
      ],
      [
        [...first, 'RAMAIS', 'Setor;Ramal', 'Secretaria;2010'],
        [direito, '[2] RAMAIS', ramal],
      ],
      [
        ['SUL', ...first, 'NORTE', ...first],
        ['[2] SUL', direito, '[2] NORTE', direito],
      ],
      [
        ['Curso;Mensalidade;;Setor;Ramal', 'Direito;1450;;Secretaria;2010', 'Letras;900;;Portaria;2020'],
        [direito, 'Curso: Letras\nMensalidade: 900', ramal, 'Setor: Portaria\nRamal: 2020'],
      ],
      [
        [...first, '', 'Letras;a definir', 'Artes;900'],
        [direito, 'Curso: Letras\nMensalidade: a definir', 'Curso: Artes\nMensalidade: 900'],
      ],
      [
        [...first, '', 'Secretaria;(11) 3333-2010', 'Portaria;(11) 3333-2020'],
        [direito, 'Secretaria: (11) 3333-2010\nPortaria: (11) 3333-2020'],
      ],
      [
        ['Aluno;Time', 'Ana;Azul', '', 'Peça;Cor', 'Roda;Preta'],
        ['Aluno: Ana\nTime: Azul', 'Peça\nCor', 'Roda\nPreta'],
      ],
      [
        ['Direito;Noite;R$ 900,00', 'Letras;Dia;R$ 700,00'],
        ['Direito\nNoite\nR$ 900,00', 'Letras\nDia\nR$ 700,00'],
      ],
    ]);
  });

  it('are pairs of labels and values where no row is a header', () => {
    const direito = 'Curso: Direito\nMensalidade: R$ 1.450,00\nTurno: Noite';
    expectEach([
      [['Curso;Direito', 'Mensalidade;R$ 1.450,00', 'Turno;Noite'], [direito]],
      [['Mensalidade;R$ 1.450,00', 'Turno;Noite'], ['Mensalidade: R$ 1.450,00\nTurno: Noite']],
      [
        ['Setor:;Portaria', 'Cor:;Azul', '', 'Setor:;Direção', 'Cor:;Verde'],
        ['Setor: Portaria\nCor: Azul', 'Setor: Direção\nCor: Verde'],
      ],
      [
        ['Curso;Direito;Turno;Noite', 'Mensalidade;R$ 900;Vagas;40'],
        ['Curso: Direito\nTurno: Noite\nMensalidade: R$ 900\nVagas: 40'],
      ],
      [
        ['Serviço;Valor', 'Mensalidade;R$ 900,00', 'Matrícula;R$ 200,00'],
        ['Serviço: Mensalidade\nValor: R$ 900,00', 'Serviço: Matrícula\nValor: R$ 200,00'],
      ],
      ...['Custo em reais', 'Valor (R$)', 'Quando'].map(
        label =>
          [
            [`Taxa;${label}`, 'Matrícula;100', 'Documentos;10/03'],
            [`Taxa: Matrícula\n${label}: 100`, `Taxa: Documentos\n${label}: 10/03`],
          ] as const,
      ),
      [
        ['Setor;Onde fica', 'Secretaria;Bloco B', 'Portaria;Térreo'],
        ['Setor: Secretaria\nOnde fica: Bloco B', 'Setor: Portaria\nOnde fica: Térreo'],
      ],
    ]);
  });

  it('keep commas that stand without quotes in their values, and stay whole where two values may have them', () => {
    const header = 'Curso,Vagas,Mensalidade';
    const direito = 'Curso: Direito\nVagas: 40\nMensalidade: R$ 850,50';
    expectEach([
      [
        [header, 'Direito,40,R$ 850,50', 'Letras,30,R$ 9.620'],
        [direito, 'Curso: Letras\nVagas: 30\nMensalidade: R$ 9.620'],
      ],
      [
        ['Curso,Mensalidade,Bolsa', 'Direito,R$ 1.850,50,12,5%', 'Letras,700,00,5%'],
        [
          'Curso: Direito\nMensalidade: R$ 1.850,50\nBolsa: 12,5%',
          'Curso: Letras\nMensalidade: 700,00\nBolsa: 5%',
        ],
      ],
      [
        ['Curso,Direito', 'Mensalidade,R$ 1.450,00', 'Turno,Noite'],
        ['Curso: Direito\nMensalidade: R$ 1.450,00\nTurno: Noite'],
      ],
      [
        ['Setor,Horário', 'Secretaria,De segunda a sexta, das 8h às 12h'],
        ['Setor: Secretaria\nHorário: De segunda a sexta, das 8h às 12h'],
      ],
      [
        [header, 'Direito,40,50,90'],
        ['Curso\nVagas\nMensalidade', 'Direito\n40,50,90'],
      ],
      [
        ['Curso,Manhã,Noite', 'Direito,40,50,presencial', 'Letras,30,05,EAD'],
        ['Curso: Letras\nManhã: 30,05\nNoite: EAD', 'Direito\n40,50,presencial'].toReversed(),
      ],
    ]);
  });
});
