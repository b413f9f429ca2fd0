import type { Arrival } from '../../db/intake/intake-records.ts';

/** The team of the imaginary university, in the order of their roles. */
export const demoPeople = [
  { name: 'Marina Alves', email: 'marina.alves@horizonte.example', role: 'admin' },
  { name: 'Bia Souza', email: 'bia.souza@horizonte.example', role: 'manager' },
  { name: 'Rafael Lima', email: 'rafael.lima@horizonte.example', role: 'agent' },
  { name: 'Cláudia Nunes', email: 'claudia.nunes@horizonte.example', role: 'agent' },
] as const;

/** What the CRM told about applicants. */
const leads = [
  {
    name: 'Isabela Martins',
    course: 'Psicologia',
    stage: 2,
    daysAgo: 1,
    mode: 'Presencial',
    entry: 'Vestibular online',
  },
  {
    name: 'João Pedro Farias',
    course: 'Ciência da Computação',
    stage: 1,
    daysAgo: 2,
    mode: 'Presencial',
    entry: 'Vestibular tradicional',
  },
  {
    name: 'Natália Queiroz',
    course: 'Psicologia',
    stage: 2,
    daysAgo: 3,
    mode: 'Presencial',
    entry: 'Vestibular online',
  },
  {
    name: 'Matheus Ribeiro',
    course: 'Engenharia Civil',
    stage: 3,
    daysAgo: 5,
    mode: 'Presencial',
    entry: 'ENEM',
  },
  { name: 'Sofia Barcellos', course: 'Direito', stage: 4, daysAgo: 8, mode: 'Presencial', entry: 'ENEM' },
  {
    name: 'Fernanda Tavares',
    course: 'Enfermagem',
    stage: 3,
    daysAgo: 9,
    mode: 'Presencial',
    entry: 'Transferência',
  },
  {
    name: 'Lucas Andrade',
    course: 'Administração',
    stage: 2,
    daysAgo: 12,
    mode: 'Presencial',
    entry: 'Transferência',
  },
  {
    name: 'Wellington Duarte',
    course: 'Análise e Desenvolvimento de Sistemas',
    stage: 2,
    daysAgo: 14,
    mode: 'EAD',
    entry: 'Vestibular online',
  },
  {
    name: 'Patrícia Lemos',
    course: 'Pedagogia',
    stage: 3,
    daysAgo: 17,
    mode: 'EAD',
    entry: 'Vestibular online',
  },
  {
    name: 'Beatriz Camargo',
    course: 'Odontologia',
    stage: 4,
    daysAgo: 20,
    mode: 'Presencial',
    entry: 'Vestibular tradicional',
  },
];

/** What it told about requests; the assistant opened others. */
const tickets = [
  {
    name: 'Júlio Serrano',
    subject: 'Revisão da nota de Cálculo I',
    content: 'A questão 4 não foi somada. Prova anexada ao protocolo.',
    daysAgo: 6,
    solvedAfterDays: null,
  },
  {
    name: 'Antônio Carvalho',
    subject: 'Diploma fora do prazo',
    content: 'Colação há mais de 90 dias; precisa do diploma para tomar posse em concurso.',
    daysAgo: 3,
    solvedAfterDays: null,
  },
  {
    name: 'Carla Bittencourt',
    subject: 'Reembolso da matrícula',
    content: 'Desistência antes do início das aulas. Dados bancários conferidos.',
    daysAgo: 16,
    solvedAfterDays: 9,
  },
  {
    name: 'Renata Peixoto',
    subject: 'Declaração de matrícula em inglês',
    content: 'Pede a declaração em inglês para um estágio no exterior.',
    daysAgo: 21,
    solvedAfterDays: 2,
  },
];

const DAY = 24 * 60 * 60 * 1_000;
/** The stages of the default mapping. */
const [OPEN, SOLVED] = [1, 4];

/** Deals and tickets, as the specification has them. */
export function listArrivals(asOf: Date): Arrival[] {
  const now = asOf.getTime();
  return [
    ...leads.map(({ name, course, stage, daysAgo, mode, entry }, nth) => ({
      kind: 'deals',
      jobId: `demo-deal-${nth}`,
      arrivedAt: now - daysAgo * DAY,
      body: {
        ...personOf(name),
        external_id: 48_210 + 7 * nth,
        dealname: course,
        dealstage: stage,
        modalidade_de_ensino: mode,
        tipo_ingresso: entry,
        unidade: mode === 'EAD' ? 'Polo São Paulo' : 'Campus Central',
        cidade: 'São Paulo',
        estado: 'SP',
      },
    })),
    ...tickets.map(({ name, subject, content, daysAgo, solvedAfterDays }, nth) => ({
      kind: 'tickets',
      jobId: `demo-ticket-${nth}`,
      arrivedAt: now - (daysAgo - (solvedAfterDays ?? 0)) * DAY,
      body: {
        ...personOf(name),
        external_id: 90_417 + 3 * nth,
        subject,
        content,
        createdate: now - daysAgo * DAY,
        hs_pipeline_stage: solvedAfterDays === null ? OPEN : SOLVED,
        campus_horizonte: 'Central',
      },
    })),
  ];
}

function personOf(name: string) {
  const [firstname = '', ...others] = name.split(' ');
  const mailbox = `${firstname}.${others.at(-1)}`
    .normalize('NFD')
    .replaceAll(/[^a-zA-Z.]/g, '')
    .toLowerCase();
  return {
    firstname,
    lastname: others.join(' '),
    email: `${mailbox}@email.example`,
    mobilephone: phoneOf(name),
  };
}

/** A mobile phone of São Paulo, the same for the same name. */
export function phoneOf(name: string): string {
  let sum = 7;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_999_991;
  const digits = String(90_000_000 + sum);
  return `+55 11 9${digits.slice(0, 4)}-${digits.slice(4)}`;
}
