import { expect } from 'chai';
import { listAvatars } from '../../db/assistants/avatars.ts';
import { findHostBySlug } from '../../db/hosts/hosts.ts';
import { withHost } from '../../db/with-hosts.ts';
import { toPortuguese } from '../../text/foreign-words.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { searchChunks } from './search-chunks.ts';

/** By the beginning of the heading of a passage of the demonstration: questions for it in Spanish, and the same in Portuguese. */
// biome-ignore format: a table
const byHeading: Readonly<Record<string, readonly (readonly [spanish: string, portuguese: string])[]>> = {
  'Horário de atendimento da secretaria': [
    ['¿A qué hora abre la secretaría los sábados?', 'A que horas a secretaria abre aos sábados?'],
    ['La secretaría atiende en los días feriados?', 'A secretaria atende nos feriados?'],
  ],
  'Contatos da secretaria acadêmica': [
    ['¿Cuál es el WhatsApp de la secretaría?', 'Qual é o WhatsApp da secretaria?'],
  ],
  Rematrícula: [
    ['¿Hasta cuándo puedo renovar la matrícula del segundo semestre?', 'Até quando posso fazer a rematrícula do segundo semestre?'],
    ['Se me pasó el plazo de la rematrícula, ¿qué hago?', 'Perdi o prazo da rematrícula, o que faço?'],
  ],
  'Trancamento e cancelamento': [
    ['¿Puedo suspender la carrera por un tiempo?', 'Posso trancar o curso por um tempo?'],
    ['Quiero dar de baja mi matrícula y dejar la universidad', 'Quero cancelar minha matrícula e sair da universidade'],
  ],
  'Calendário acadêmico': [
    ['¿Cuándo empiezan las clases del segundo semestre?', 'Quando começam as aulas do segundo semestre?'],
    ['¿Cuándo son las vacaciones de julio?', 'Quando são as férias de julho?'],
  ],
  'Notas, frequência': [
    ['¿Cuál es la nota mínima para aprobar?', 'Qual é a nota mínima para ser aprovado?'],
    ['¿Cuántas faltas puedo tener sin reprobar?', 'Quantas faltas posso ter sem reprovar?'],
    ['Necesito pedir la revisión de un examen', 'Preciso pedir a revisão de uma prova'],
  ],
  'Prova substitutiva': [
    ['Falté a un examen, ¿puedo rendirlo otro día?', 'Faltei a uma prova, posso fazer outro dia?'],
    ['¿Cuánto cuesta el examen sustitutivo?', 'Quanto custa a prova substitutiva?'],
  ],
  'Aproveitamento de disciplinas': [
    ['¿Cómo convalido materias de otra universidad?', 'Como aproveito disciplinas de outra universidade?'],
    ['Cursé asignaturas en otra facultad, ¿me las pueden reconocer?', 'Cursei disciplinas em outra faculdade, podem ser dispensadas?'],
  ],
  Biblioteca: [
    ['¿Cuántos libros puedo sacar prestados?', 'Quantos livros posso pegar emprestados?'],
    ['¿De cuánto es la multa si devuelvo tarde un libro?', 'De quanto é a multa se devolver um livro com atraso?'],
    ['¿Hay salas para estudiar en grupo?', 'Há salas para estudar em grupo?'],
  ],
  Estágio: [
    ['¿Cuántas horas por día pueden durar las prácticas?', 'Quantas horas por dia pode durar o estágio?'],
    ['¿Desde qué semestre puedo hacer la pasantía obligatoria?', 'A partir de que semestre posso fazer o estágio obrigatório?'],
  ],
  'TCC:': [
    ['¿Cuándo se entrega la tesis de grado antes de la defensa?', 'Quando se entrega o TCC antes da banca?'],
  ],
  'Horas complementares': [
    ['¿Cuántas horas de actividades complementarias me exigen?', 'Quantas horas de atividades complementares são exigidas?'],
  ],
  'Histórico escolar': [
    ['¿Cómo pido una constancia de alumno regular?', 'Como peço uma declaração de matrícula?'],
    ['¿Cuánto tarda el certificado de notas?', 'Quanto demora o histórico escolar?'],
  ],
  'Diploma e colação': [
    ['¿Cuánto tardan en entregar el título?', 'Quanto demora a entrega do diploma?'],
    ['¿Cuándo es la ceremonia de graduación?', 'Quando é a colação de grau?'],
  ],
  'Carteirinha de estudante': [
    ['Perdí mi carné de estudiante, ¿cuánto sale otro?', 'Perdi minha carteirinha de estudante, quanto custa outra?'],
    ['me robaron la credencial de alumno', 'roubaram minha carteirinha de aluno'],
  ],
  'Portal do Aluno: acesso': [
    ['Olvidé mi contraseña del portal', 'Esqueci minha senha do portal'],
  ],
  Ouvidoria: [
    ['¿Dónde puedo presentar un reclamo?', 'Onde posso fazer uma reclamação?'],
  ],
  'Campi e endereços': [
    ['¿Dónde queda el campus de Santos?', 'Onde fica o campus de Santos?'],
    ['¿Cuánto cuesta estacionar el coche?', 'Quanto custa estacionar o carro?'],
  ],
  'Acessibilidade e apoio': [
    ['¿Ofrecen atención psicológica gratis?', 'Oferecem atendimento psicológico grátis?'],
    ['Tengo una discapacidad y necesito tiempo extra en los exámenes', 'Tenho uma deficiência e preciso de tempo adicional nas provas'],
  ],
  Vestibular: [
    ['¿Cuánto vale el examen de ingreso?', 'Quanto custa o vestibular?'],
    ['¿Cuándo es el examen de admisión?', 'Quando é o vestibular?'],
    ['¿Cuántas preguntas tiene el examen de ingreso?', 'Quantas questões tem o vestibular?'],
  ],
  'Ingresso com a nota': [
    ['¿Con qué puntaje del ENEM puedo entrar?', 'Com que nota do ENEM posso entrar?'],
  ],
  'Matrícula de calouros': [
    ['¿Qué documentos tengo que llevar para inscribirme si soy nuevo?', 'Que documentos preciso para a matrícula de calouro?'],
  ],
  'Transferência de outra': [
    ['Estudio en otra universidad y quiero pasarme a esta', 'Estudo em outra universidade e quero me transferir para esta'],
  ],
  'Troca de curso': [
    ['¿Puedo cambiarme de carrera?', 'Posso trocar de curso?'],
    ['Quiero cambiar del turno de la mañana al de la noche', 'Quero trocar o turno da manhã pelo da noite'],
  ],
  'Cursos oferecidos': [
    ['¿Qué carreras de salud ofrecen?', 'Que cursos de saúde vocês oferecem?'],
    ['¿Cuántos años dura una licenciatura?', 'Quantos anos dura uma licenciatura?'],
  ],
  'Educação a distância': [
    ['¿Cuánto es la cuota de las carreras a distancia?', 'Quanto é a mensalidade dos cursos a distância?'],
    ['¿El título a distancia tiene la misma validez?', 'O diploma a distância tem a mesma validade?'],
  ],
  'Polos de apoio': [
    ['¿En qué estados hay sedes de apoyo?', 'Em que estados há polos de apoio?'],
  ],
  'Pós-graduação e MBA': [
    ['¿Cuánto dura el posgrado a distancia?', 'Quanto dura a pós-graduação a distância?'],
  ],
  'Visita ao campus': [
    ['Quisiera conocer el campus antes de inscribirme', 'Gostaria de conhecer o campus antes de me inscrever'],
  ],
  'Mensalidades: vencimento': [
    ['¿Qué día vence la mensualidad?', 'Que dia vence a mensalidade?'],
    ['¿Puedo pagar la cuota con tarjeta de crédito?', 'Posso pagar a mensalidade com cartão de crédito?'],
  ],
  'Segunda via de boleto': [
    ['No encuentro la factura de este mes, ¿dónde saco un duplicado?', 'Não encontro o boleto deste mês, onde tiro a segunda via?'],
  ],
  'Contatos do setor financeiro': [
    ['¿Cuál es el teléfono del departamento financiero?', 'Qual é o telefone do setor financeiro?'],
  ],
  'Negociação de mensalidades': [
    ['Debo varias cuotas, ¿puedo hacer un convenio de pago?', 'Devo várias mensalidades, posso fazer um acordo?'],
  ],
  'Descontos na mensalidade': [
    ['¿Hay rebaja si pago por adelantado?', 'Há desconto se pago adiantado?'],
    ['Mi hermana también estudia ahí, ¿nos hacen descuento?', 'Minha irmã também estuda aí, temos desconto?'],
  ],
  'Bolsas de estudo': [
    ['¿Cómo solicito una beca por bajos ingresos?', 'Como peço uma bolsa por baixa renda?'],
  ],
  'Reembolso e devolução': [
    ['Desistí antes de empezar las clases, ¿me devuelven el dinero?', 'Desisti antes do início das aulas, recebo o dinheiro de volta?'],
  ],
  'Informe de pagamentos': [
    ['¿Dónde saco el comprobante para el impuesto sobre la renta?', 'Onde tiro o informe para o imposto de renda?'],
  ],
};
const questions = Object.entries(byHeading).flatMap(([heading, forms]) =>
  forms.map(([spanish, portuguese]) => ({ heading, spanish, portuguese })),
);

describe('a question in Spanish about knowledge in Portuguese', () => {
  const { db } = openOnce(() => makeDatabase('seeded'));

  /** Where the passage stands among those that are found, from 1; 0: nowhere. */
  const placeOf = async (heading: string, query: string) => {
    const { id = '' } = (await findHostBySlug(db, 'demo')) ?? {};
    return withHost(db, id, async scope => {
      const [avatar] = await listAvatars(scope);
      const asked = { avatarId: avatar?.avatar_id ?? '', query, filterTerms: {}, limit: 10 };
      const found = await searchChunks(scope, asked);
      return found.findIndex(({ body }) => body.startsWith(`# ${heading}`)) + 1;
    });
  };

  /** At least so many of them are right. */
  const FOUND = 59;

  const missed = async (language: 'spanish' | 'portuguese') => {
    const all: string[] = [];
    for (const question of questions) {
      const place = await placeOf(question.heading, question[language]);
      if (place !== 1) all.push(`${place} ${question[language]}`);
    }
    return all;
  };

  it('finds its passage first, as its Portuguese form does', async () => {
    expect(await missed('portuguese')).to.deep.equal([]);
    const others = await missed('spanish');
    expect(others, others.join('\n')).to.have.length.at.most(questions.length - FOUND);
  });

  it('is known by two words or spellings of its own, and a question in Portuguese is never taken for one', () => {
    const languageOf = (question: string) => toPortuguese(question).language;
    for (const { spanish, portuguese } of questions) {
      expect(languageOf(spanish.replaceAll(/[¿¡]/g, '')), spanish).to.equal('es');
      expect(languageOf(portuguese), portuguese).to.equal(undefined);
    }
    for (const portuguese of [
      'como faço p cancelar uma materia',
      'Pago a taxa do titulo na sede, e fecha quando?',
      'O que foi o El Niño?',
      'Tem vaga em Ciudad del Este?',
      'A palestra “el mundo y la universidad” é hoje?',
      'O curso How To Code é de graça?',
    ])
      expect(languageOf(portuguese), portuguese).to.equal(undefined);
  });
});
