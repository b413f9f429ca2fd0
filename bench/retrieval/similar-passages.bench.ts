import type { QuestionSet } from './question-set.bench.ts';

/*
 * Eight passages about each of 31 courses, in nearly the same words: only course and subject together identify the
 * answer. Some questions omit accents, some are misspelt, some use synonyms.
 */

const courses = (
  'Administração;Agronomia;Arquitetura e Urbanismo;Biblioteconomia;Biomedicina;Ciência da Computação;Ciências Biológicas;' +
  'Ciências Contábeis;Ciências Econômicas;Ciências Sociais;Design;Direito;Educação Física;Enfermagem;Engenharia Civil;' +
  'Engenharia Elétrica;Engenharia Mecânica;Engenharia Química;Farmácia;Filosofia;Física;Fisioterapia;Geografia;História;' +
  'Jornalismo;Letras;Matemática;Medicina;Medicina Veterinária;Pedagogia;Psicologia'
).split(';');

type Write = (course: string, n: number) => string;
const subjects: readonly (readonly [write: Write, ...questions: Write[]])[] = [
  [
    (course, n) =>
      `O curso de ${course} foi criado em ${1940 + n} e reconhecido cinco anos depois. Funciona no período ${n % 2 ? 'noturno' : 'diurno'} e dura ${8 + (n % 3)} semestres. Na última avaliação do Ministério da Educação recebeu conceito ${3 + (n % 3)}.`,
    course => `Em que ano foi criado o curso de ${course}?`,
    course => `quantos semestres leva para se formar em ${course}`,
  ],
  [
    (course, n) =>
      `São oferecidas ${30 + n} vagas por ano para ${course}, metade pelo Sisu e metade por vestibular próprio. A concorrência do último processo seletivo foi de ${(n % 9) + 4} candidatos por vaga, e a nota de corte da ampla concorrência, ${600 + n} pontos.`,
    course => `Qual foi a nota de corte de ${course}?`,
    course => `Quantas pessoas disputam cada vaga em ${course}?`,
  ],
  [
    (course, n) =>
      `A carga horária total do currículo de ${course} é de ${2400 + 40 * n} horas. As disciplinas obrigatórias ocupam os primeiros períodos; as optativas, de livre escolha, somam ${120 + n} horas. A matriz curricular foi revista em ${2015 + (n % 8)}.`,
    course => `Qual é a carga horária do currículo de ${course}?`,
    course => `quando mudaram a grade de ${course}`,
  ],
  [
    (course, n) =>
      `O estágio supervisionado de ${course} começa no ${(n % 4) + 5}º período e tem ${200 + 10 * n} horas. É feito em empresas, órgãos públicos ou instituições conveniadas, sob supervisão de um docente, que visita o local duas vezes e avalia o relatório final.`,
    course => `Em que período começam os estágios de ${course}?`,
    course => `Quem avalia o relatório do estagiário de ${course}?`,
  ],
  [
    (course, n) =>
      `O trabalho de conclusão de ${course} pode ser monografia, artigo ou ${n % 2 ? 'projeto' : 'estudo de caso'}. O aluno escolhe o orientador até o ${(n % 3) + 6}º período e defende diante de banca de três professores. A nota mínima para aprovação é ${6 + (n % 2)}.`,
    course => `Que formatos pode ter o trabalho de conclusão de ${course}?`,
    course => `Até quando escolho quem vai me orientar no TCC de ${course}?`,
  ],
  [
    (course, n) =>
      `A coordenação de ${course} atende na sala ${100 + n} do bloco ${'ABCDEFG'[n % 7]}, de segunda a sexta, das ${8 + (n % 3)}h às ${14 + (n % 5)}h, e pelo telefone 3333-${4000 + 7 * n}. Requerimentos são recebidos pelo sistema e respondidos em ${2 + (n % 4)} dias úteis.`,
    course => `Em que sala fica a coordenação de ${course}?`,
    course => `como ligo para falar com o coordenador de ${course}`,
  ],
  [
    (course, n) =>
      `Os laboratórios de ${course} ocupam ${400 + 15 * n} metros quadrados e foram reformados em ${2010 + (n % 12)}. Cada turma prática tem no máximo ${12 + (n % 10)} alunos. O uso fora do horário de aula é agendado com o técnico responsável.`,
    course => `Quantos alunos cabem nas turmas práticas de ${course}?`,
    course => `Com quem marco para usar o laboratório de ${course} à noite?`,
  ],
  [
    (course, n) =>
      `Quem se forma em ${course} encontra emprego em até ${(n % 6) + 3} meses, segundo pesquisa com egressos. O salário inicial médio é de R$ ${2500 + 110 * n}. O diploma permite o registro no conselho profissional e o ingresso em programas de pós-graduação.`,
    course => `Qual o salário inicial dos formados em ${course}?`,
    course => `quanto tempo um egresso de ${course} demora para arrumar trabalho`,
  ],
];

export function similarPassages(): Pick<QuestionSet, 'passages' | 'questions'> {
  const pairs = courses.flatMap((course, n) => subjects.map(subject => ({ course, n, subject })));
  return {
    passages: pairs.map(({ course, n, subject: [write] }) => write(course, n)),
    questions: pairs.flatMap(({ course, n, subject: [, ...questions] }, passage) =>
      questions.map((ask, at) =>
        asTyped(
          { passage, text: ask(course, n), earlier: [], lastAnswer: '', kind: 'plain' },
          2 * passage + at,
        ),
      ),
    ),
  };
}

function asTyped(question: QuestionSet['questions'][number], at: number): QuestionSet['questions'][number] {
  const plain = question.text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  if (at % 5 === 1) return { ...question, text: plain, kind: 'accents' };
  if (at % 7 === 2) return { ...question, text: addTypo(plain, at), kind: 'typing' };
  return question;
}

/** Transposes two letters of the longest word, or drops one. */
function addTypo(text: string, at: number): string {
  const longest = text.match(/[a-z]+/g)?.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const middle = 2 + (at % Math.max(1, longest.length - 4));
  const [a = '', b = ''] = [longest[middle], longest[middle + 1]];
  const wrong = `${longest.slice(0, middle)}${at % 2 ? b + a : b}${longest.slice(middle + 2)}`;
  return text.replace(longest, wrong);
}
