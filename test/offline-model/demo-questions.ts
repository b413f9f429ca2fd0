/** Questions about the demonstration, with the required and forbidden contents of an answer. */
export interface DemoQuestion {
  readonly question: string;
  /** The previous question of the conversation. */
  readonly before?: string;
  /** A right answer matches all of them; empty: the knowledge has no answer, so the answer must contain no figure. */
  readonly holds: readonly RegExp[];
  readonly never?: RegExp;
}

const known = (question: string, ...holds: RegExp[]): DemoQuestion => ({ question, holds });
const unknown = (question: string): DemoQuestion => ({ question, holds: [] });

/** Used to tune the model. */
export const demoTuning: readonly DemoQuestion[] = [
  known('Quais bolsas vocês oferecem?', /Prouni/, /Mérito|Social|próprias/),
  known('Quantas faltas posso ter?', /75%/),
  unknown('Quanto custa Medicina?'),
  known('Posso entrar em Medicina com a nota do ENEM?', /só aceitam o vestibular tradicional/),
  { question: 'quero me inscrever em Direito', holds: [/horizonte\.example\/vestibular/], never: /diploma/ },
  known("What are the library's opening hours?", /7h30 às 22h/),
  known('How much is the admission exam fee?', /R\$ 40,00/),
  unknown('Qual a mensalidade de Direito?'),
  known('Quanto custa o curso a distância?', /R\$ 199,00/),
  { question: 'e aos sábados?', before: 'Qual o horário da biblioteca?', holds: [/8h às 16h/] },
  known('qto custa a 2a via da carterinha', /R\$ 30,00/),
  unknown('Vocês têm curso de Arquitetura?'),
  known('Até quando posso trancar?', /60 dias/),
  known('Posso usar a nota do ENEM?', /Medicina e Odontologia só aceitam/),
  known('Calouro pode trancar o curso?', /Calouros só podem trancar a partir do segundo semestre/),
  known('Tem desconto para quem paga adiantado?', /5%/),
  known('Qual o telefone da ouvidoria?', /0800 400 1900/),
  known('Quando começam as aulas do segundo semestre?', /4 de agosto/),
  known('Quantos livros posso pegar e por quantos dias?', /5 livros/, /10 dias/),
  known('Quanto tempo dura o MBA presencial?', /18 meses/),
  known('Where is the Norte campus?', /Rua do Sol/),
  known('Tem estacionamento? quanto custa?', /R\$ 8,00/),
  unknown('Vocês aceitam cachorro no campus?'),
  known('Qual a nota mínima para passar?', /6,0/),
  known('Quem ganha bolsa mérito?', /três melhores colocados/),
  unknown('Qual o valor da bolsa de iniciação científica?'),
  known('What are the opening hours of the secretary office?', /8h às 21h/),
  known('How can I contact the ombudsman office?', /0800 400 1900/),
  known('Where can I get my income tax report?', /28 de fevereiro|Financeiro > Informes/),
  known('Do you have sign language interpreters?', /Libras/),
  known('In how many installments can I split my debt?', /12 parcelas/),
  { question: 'Quem tem direito à bolsa social?', holds: [/renda familiar/], never: /Administração/ },
  known('Quantas horas por dia posso estagiar?', /6 horas por dia/),
  known('Quais são as formas de pagamento da mensalidade?', /boleto, Pix, cartão/),
  known('quais documentos preciso para a matrícula?', /RG, CPF/),
  known('perdi o boleto', /segunda via do boleto/),
  known('minha irmã estuda aí, tem desconto?', /10% de desconto/),
  known('tenho 45% de frequência, reprovei?', /75%/, /refeita/),
  known('perdi minha carteirinha', /R\$ 30,00/),
  known('Quantas sessões de psicólogo tenho por semestre?', /10 sessões/),
  {
    question: 'Perdi o prazo da rematrícula, e agora? quanto pago?',
    holds: [/R\$ 85,00/],
    never: /5%|80%|R\$ 8,00/,
  },
];

/** Only counted, never used for tuning. */
export const demoHeldOut: readonly DemoQuestion[] = [
  known('Que tipos de bolsa existem?', /Prouni/),
  known('Qual o limite de faltas?', /75%/),
  unknown('Qual o preço da mensalidade de Odontologia?'),
  known('Odontologia aceita ENEM?', /só aceitam o vestibular tradicional/),
  {
    question: 'Quero me matricular em Administração, como faço?',
    holds: [/vestibular|matrícula/i],
    never: /diploma/,
  },
  known('How can I get a duplicate of my payment slip?', /Portal do Aluno/, /segunda via/i),
  known('When does the second semester start?', /4 de agosto/),
  known('What documents do I need to enroll?', /RG, CPF/),
  known('quanto custa a pós ead', /R\$ 149,00/),
  { question: 'e quanto custa?', before: 'Como peço a prova substitutiva?', holds: [/R\$ 45,00/] },
  known('telefone do finaceiro', /4002-1900, ramal 3|94002-1903/),
  unknown('Tem piscina no campus?'),
  known('Posso entrar sem vestibular com o ENEM?', /400 pontos|ENEM/, /Medicina e Odontologia só aceitam/),
  known('A prova substitutiva é grátis com atestado?', /dispensada com atestado/),
  known('Funcionário de empresa conveniada tem desconto?', /10% a 20%/),
  known('Posso somar dois descontos?', /não se acumulam/),
  known('Que dia vence a mensalidade?', /dia 8/),
  known('Quanto tempo demora o diploma digital?', /90 dias/),
  known('A secretaria abre em feriado?', /feriados.*não abre/s),
  known('Quantas horas complementares preciso no bacharelado?', /200 horas/),
  unknown('Quanto custa o curso de inglês?'),
  known('Is the online entrance exam free?', /gratuito/),
  {
    question: 'e tem desconto?',
    before: 'Como funciona a transferência de outra faculdade?',
    holds: [/30%/],
  },
  unknown('Qual a data da prova do ENEM?'),
  unknown('Qual é o horário de almoço do restaurante?'),
  known('Desisti antes das aulas, recebo quanto de volta?', /80%/),
];

/** The requested amount, date or condition is known for another subject only. */
export const demoOtherSubject: readonly DemoQuestion[] = [
  unknown('Quanto custa a segunda via do boleto?'),
  { question: 'qual a nota mínima do vestibular', holds: [/^Não encontrei/], never: /6,0/ },
  unknown('precisa de laudo médico para a carteirinha?'),
  unknown('posso parcelar a matrícula no cartão?'),
  { question: 'qual a taxa do vestibular online', holds: [/gratuito/], never: /R\$/ },
  {
    question: 'posso fazer a rematrícula com mensalidade atrasada?',
    holds: [/preciso não ter mensalidades em atraso/],
    never: /R\$|multa/,
  },
  unknown('Quanto custa a segunda via do crachá?'),
  unknown('Quanto custa a carteirinha digital?'),
  unknown('Qual a frequência mínima do estágio?'),
  unknown('Quanto custa a revisão de prova?'),
  unknown('posso pagar o estacionamento no cartão?'),
  unknown('qual a renda mínima para a bolsa mérito'),
  { question: 'Quanto tempo dura o vestibular online?', holds: [/vestibular online/], never: /\b4 horas/ },
  { question: 'qual a nota mínima do TCC', holds: [/7,0/], never: /6,0|80%/ },
  { question: 'Quanto custa a segunda via do diploma?', holds: [/R\$ 250,00/], never: /R\$ 30/ },
  { question: 'Qual a duração do vestibular tradicional?', holds: [/./], never: /novembro|48 horas/ },
  { question: 'Qual a multa por atraso na biblioteca?', holds: [/R\$ 2,00/], never: /2%/ },
];

export const demoSpanish: readonly DemoQuestion[] = [
  known('¿Cuál es el horario de la biblioteca?', /7h30 às 22h/),
  known('¿Cuándo vence la mensualidad?', /dia 8/),
  known('¿Qué documentos necesito para la matrícula?', /RG, CPF/),
  known('¿Hay descuento para hermanos?', /10% de desconto/),
  known('¿Dónde queda el campus Norte?', /Rua do Sol/),
  known('¿Cuánto cuesta la inscripción en el vestibular?', /R\$ 40,00/),
  known('¿Cuántos libros puedo llevar de la biblioteca?', /5 livros/),
  known('¿Puedo entrar con la nota del ENEM?', /Medicina e Odontologia só aceitam/),
  known('¿Cuánto cuesta el estacionamiento?', /R\$ 8,00/),
  known('¿Cuál es el teléfono de la secretaría?', /4002-190\d|ramal/),
  unknown('¿Cuánto cuesta la mensualidad de Derecho?'),
  unknown('¿Hay piscina en el campus?'),
];

/** Tables of somebody's own, of which each row is a passage. */
export const ownTables: Readonly<Record<string, string>> = {
  cursos: `Curso;Turno;Mensalidade;Nota MEC;Duração
Direito;Noite;R$ 1.540,50;4;10 semestres
Pedagogia;Noite;R$ 690,00;5;8 semestres
Psicologia;Manhã;R$ 1.890,00;5;10 semestres
Enfermagem;Integral;R$ 1.720,00;4;10 semestres
Gastronomia;Noite;R$ 980,00;3;4 semestres
Engenharia Civil;Noite;R$ 1.450,00;4;10 semestres`,
  onibus: `Linha,Saída,Destino,Primeiro horário,Último horário,Tarifa
101,Terminal Central,Campus Sul,5h40,23h10,"R$ 5,20"
205,Rodoviária,Campus Leste,6h15,22h30,"R$ 5,80"
317,Praça da Matriz,Hospital-Escola,6h00,21h45,"R$ 4,90"`,
};
export const ownTableQuestions: readonly DemoQuestion[] = [
  { question: 'quanto custa direito?', holds: [/R\$ 1\.540,50/], never: /690|1\.890|1\.720|980|1\.450/ },
  { question: 'mensalidade de pedagogia', holds: [/R\$ 690,00/], never: /1\.540|1\.890|1\.720|980|1\.450/ },
  {
    question: 'cursos com nota 5?',
    holds: [/Pedagogia/, /Psicologia/],
    never: /Direito|Enfermagem|Gastronomia/,
  },
  { question: 'em que turno é psicologia?', holds: [/Manhã/], never: /Noite|Integral/ },
  { question: 'qual o curso mais barato?', holds: [/Pedagogia/], never: /Direito|Gastronomia/ },
  { question: 'quanto tempo dura gastronomia?', holds: [/4 semestres/], never: /10 semestres/ },
  unknown('quanto custa medicina?'),
  { question: 'que horas sai o último ônibus para o campus leste?', holds: [/22h30/], never: /23h10|21h45/ },
  { question: 'qual a tarifa da linha 317?', holds: [/R\$ 4,90/], never: /5,20|5,80/ },
  { question: 'de onde sai a linha 101?', holds: [/Terminal Central/], never: /Rodoviária/ },
  { question: 'qual a nota mec de engenharia civil', holds: [/Nota MEC: 4/], never: /Direito/ },
  unknown('quanto custa a linha 999?'),
];

/** Without knowledge, an answer with a figure is invented. */
export function isRight({ holds, never }: DemoQuestion, answer: string): boolean {
  if (never?.test(answer)) return false;
  if (holds.length === 0)
    return /^(Não encontrei|I could not find|No encontré)/.test(answer) && !/\d/.test(answer);
  return holds.every(each => each.test(answer));
}
