import type { Arrival } from '../../db/intake/intake-records.ts';
import past from './past.json' with { type: 'json' };

/** The team of the imaginary university, in the order of their roles. */
export const demoPeople = [
  { name: 'Marina Alves', email: 'marina.alves@horizonte.example', role: 'admin' },
  { name: 'Bia Souza', email: 'bia.souza@horizonte.example', role: 'manager' },
  { name: 'Rafael Lima', email: 'rafael.lima@horizonte.example', role: 'agent' },
  { name: 'Cláudia Nunes', email: 'claudia.nunes@horizonte.example', role: 'agent' },
] as const;

/** The CRM told of these applicants and requests; the assistant opened the other tickets. */
const { leads, tickets } = past;

const DAY = 24 * 60 * 60 * 1_000;
/** Stages of the default mapping. */
const [OPEN, SOLVED] = [1, 4];

/** Returns deals and tickets in the form of the specification. */
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

/** A mobile number of São Paulo; a name always gets the same one. */
export function phoneOf(name: string): string {
  let sum = 7;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_999_991;
  const digits = String(90_000_000 + sum);
  return `+55 11 9${digits.slice(0, 4)}-${digits.slice(4)}`;
}
