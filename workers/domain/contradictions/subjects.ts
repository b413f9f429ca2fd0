import { synonymsOf } from '../../../text/synonyms.ts';
import { stemOf } from '../../../text/words.ts';
import type { ReadPassage, StatedWord, Statement } from './read-statements.ts';
import type { StatedValue } from './value-classes.ts';

/*
 * Two statements that say nearly the same may speak of two things: of two courses, shifts, degrees, campuses, groups of people, of the
 * beginning and the end. They do where each names something of a kind that the other names otherwise.
 */

export interface SubjectSide {
  readonly passage: ReadPassage;
  readonly statement: Statement;
  readonly value: StatedValue | undefined;
}

/** What holds then is no contradiction of what holds else, even where that is not said. */
const EXCEPTIONAL: ReadonlySet<string> = new Set('ferias recesso feriado'.split(' ').map(stemOf));

/** Each line has the names of one kind; names beside a slash mean the same. */
const KINDS = [
  'manha/matutino tarde/vespertino noite/noturno diurno integral',
  'graduacao/bacharelado licenciatura tecnologo especializacao/pos mestrado doutorado tecnico fundamental',
  'academico profissional',
  'verao inverno',
  'presencial distancia/ead/online/remoto hibrido',
  'calouro/ingressante/novo veterano',
  'aluno/estudante/discente/academico professor/docente/magisterio servidor/funcionario/tecnico visitante comunidade/publico/externo egresso/ex',
  'titular suplente',
  'inicio/comeca/abertura/abre fim/final/encerramento/termino/termina/fecha',
  'minimo/menos/minima maximo/maxima/mais',
  'interno/interna externo/externa',
  'almoco jantar cafe lanche',
  'alimentacao transporte creche moradia',
  'individual dupla grupo coletivo',
  'impresso/impressa/papel/fisico digital/virtual eletronico',
  'escrita oral didatica pratica teorica titulos',
  'primeiro segundo terceiro quarto quinto',
  'provisorio/preliminar/parcial definitivo/final',
  'obrigatorio optativo/eletivo',
  'integral parcial',
  'inscricao matricula recurso resultado homologacao isencao',
  'ampla cota/reserva/reservada/pcd',
  'deferido indeferido',
  'carro moto bicicleta',
  'telefone/fixo whatsapp/zap fax',
  'nacional internacional estrangeiro',
  'vista parcelado/parcelada/prazo',
];
const kindOfStem = new Map<string, readonly (readonly [kind: number, name: number])[]>();
for (const [kind, line] of KINDS.entries())
  for (const [name, words] of line.split(' ').entries())
    for (const word of words.split('/')) {
      const stem = stemOf(word);
      kindOfStem.set(stem, [...(kindOfStem.get(stem) ?? []), [kind, name]]);
    }

export type WeightOf = (stem: string) => number;

const synonymStems = new Map<string, readonly string[]>();
export function synonymStemsOf(stem: string): readonly string[] {
  let known = synonymStems.get(stem);
  if (!known) {
    known = synonymsOf(stem)
      .filter(({ isInstead }) => !isInstead)
      .map(({ word }) => stemOf(word));
    if (synonymStems.size > 50_000) synonymStems.clear();
    synonymStems.set(stem, known);
  }
  return known;
}

const LEAST_NEAR = 0.15;
/** A rarer word may be a name. */
const LEAST_WEIGHT = 1.5;

/** Whether two statements speak of two things; `years` where only the years or terms that they are of differ. */
export function differInSubject(
  one: SubjectSide,
  other: SubjectSide,
  near: ReadonlyMap<string, number>,
  others: ReadonlyMap<string, number>,
  weightOf: WeightOf,
): 'no' | 'years' | 'yes' {
  const isOther =
    differInException(near, others) ||
    differInKind([near, one.statement.heading.stems], [others, other.statement.heading.stems]) ||
    differInNames(one, other, weightOf) ||
    extendsName(one, other) ||
    extendsName(other, one) ||
    differInOrder(one, other, NAMING) ||
    differInWords(one, other) ||
    differInHeading(one, other, weightOf);
  if (isOther) return 'yes';
  return differInOrder(one, other, YEARS) ? 'years' : 'no';
}

function differInException(near: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean {
  return [...EXCEPTIONAL].some(stem => near.has(stem) !== others.has(stem));
}

type Words = readonly [near: ReadonlyMap<string, number>, heading: ReadonlySet<string>];

/** A heading names what the statement under it does not. */
function differInKind(one: Words, other: Words): boolean {
  const [a, b] = [one, other].map(
    ([near, heading]) => [namesIn(near), namesIn(new Map([...heading].map(stem => [stem, 1])))] as const,
  );
  for (const kind of KINDS.keys()) {
    const names = a?.[0].get(kind) ?? a?.[1].get(kind);
    const its = b?.[0].get(kind) ?? b?.[1].get(kind);
    const isInStatement = a?.[0].has(kind) || b?.[0].has(kind);
    if (isInStatement && names && its && ![...names].some(name => its.has(name))) return true;
  }
  return false;
}

/** `Educação Física` is not `Física`: the one's name goes on with a word that no name of the other has. */
function extendsName(one: SubjectSide, other: SubjectSide): boolean {
  const others = new Set([
    ...other.statement.heading.stems,
    ...namedIn(other)
      .flat()
      .map(({ stem }) => stem),
  ]);
  return namedIn(one).some(names =>
    names.some(({ stem, at }, number) => {
      const beside = [names[number - 1], names[number + 1]].filter(
        each => each && Math.abs(each.at - at) === 1,
      );
      return !others.has(stem) && beside.some(each => each && others.has(each.stem));
    }),
  );
}

/** The names of the statement, and of the first of its passage, which mostly says whom it is about. */
function namedIn({ passage, statement }: SubjectSide): StatedWord[][] {
  const lists = passage.statements[0] === statement ? [statement] : [passage.statements[0], statement];
  return lists.map(each => each?.words.filter(({ isName }) => isName) ?? []);
}

function namesIn(near: ReadonlyMap<string, number>): Map<number, Set<number>> {
  const names = new Map<number, Set<number>>();
  for (const [stem, nearness] of near)
    if (nearness >= LEAST_NEAR)
      for (const [kind, name] of kindOfStem.get(stem) ?? [])
        names.set(kind, (names.get(kind) ?? new Set()).add(name));
  return names;
}

/** Each statement has a name that the other passage lacks. */
function differInNames(one: SubjectSide, other: SubjectSide, weightOf: WeightOf): boolean {
  const ownOf = (side: SubjectSide, rest: SubjectSide) =>
    namedIn(side)
      .flat()
      .some(({ stem }) => !rest.passage.stems.has(stem) && weightOf(stem) >= LEAST_WEIGHT);
  return ownOf(one, other) && ownOf(other, one);
}

const MAX_GAP = 3;

/** Prices of one thing differ by who pays, when and how; what is said of a thing is said of that alone. */
function differInWords(one: SubjectSide, other: SubjectSide): boolean {
  if (one.value === undefined || other.value === undefined) return false;
  if (one.value.of.startsWith('attribute')) return !(hasHeadOf(one, other) && hasHeadOf(other, one));
  if (!one.value.of.startsWith('money')) return false;
  return differInSlot(one, other) || deniesWordOf(one, other) || deniesWordOf(other, one);
}

/** `R$ 100 para não sócios`, `R$ 2.100 sem desconto`. */
function deniesWordOf({ statement: { negations } }: SubjectSide, { statement: other }: SubjectSide): boolean {
  return negations.some(
    ({ stem }) =>
      other.words.some(word => word.stem === stem) && !other.negations.some(each => each.stem === stem),
  );
}

/** What is said of them is said of what they are of: `as aulas de Direito são à noite`. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  'curso aula disciplina atividade encontro'.split(' ').map(stemOf),
);

function hasHeadOf({ passage }: SubjectSide, { statement: { words }, value }: SubjectSide): boolean {
  const head = words.find(({ stem, at }) => !TRANSPARENT.has(stem) && at !== value?.at);
  if (!head || passage.stems.has(head.stem)) return true;
  return synonymStemsOf(head.stem).some(each => passage.stems.has(each));
}

/**
 * Behind the same word each has one that the other passage lacks: `laboratório de línguas` and `laboratório de redes`, `R$ 20 por hora` and
 * `R$ 90 por mês`. A verb is no such word: it stands right behind its subject, and no clause ends with it.
 */
function differInSlot(one: SubjectSide, other: SubjectSide): boolean {
  const own = slotsOf(one, other);
  return own.size > 0 && [...slotsOf(other, one)].some(slot => own.has(slot));
}

function slotsOf(
  { statement: { words }, value }: SubjectSide,
  { passage, statement }: SubjectSide,
): Set<string> {
  const slots = new Set<string>();
  for (const [number, { stem, at, clause }] of words.entries()) {
    if (
      at === value?.at ||
      passage.stems.has(stem) ||
      statement.heading.stems.has(stem) ||
      synonymStemsOf(stem).some(each => passage.stems.has(each))
    )
      continue;
    const [before, next] = [words[number - 1], words[number + 1]];
    const isBehindValue = value !== undefined && value.at < at && (before?.at ?? -1) < value.at;
    const gap = at - (isBehindValue ? value.at : (before?.at ?? at));
    const isNextInClause = next?.clause === clause;
    if (isBehindValue && gap <= MAX_GAP && !(isNextInClause && next.at === at + 1)) slots.add(' value');
    else if (before?.clause === clause && gap > 1 && gap <= MAX_GAP) slots.add(`${before.stem} ${gap}`);
    else if (
      before?.clause === clause &&
      gap === 1 &&
      (isNextInClause ? next.at === at + 1 : isApart(value, at))
    )
      slots.add(`${before.stem} ${gap}`);
  }
  return slots;
}

/** No value stands right behind it, as behind a verb: `custa R$ 20`. */
function isApart(value: StatedValue | undefined, at: number): boolean {
  return value === undefined || value.at < at || value.at > at + MAX_GAP;
}

const NAMING = /^(?:order|weekday|month$)/;
const YEARS = /^(?:term|year)$/;

/** They name others of these: calls, days of the week, years. */
function differInOrder(one: SubjectSide, other: SubjectSide, naming: RegExp): boolean {
  const all = [one, other].flatMap(({ statement: { values, heading } }) => [...values, ...heading.values]);
  const names = new Set(
    all
      .map(({ of }) => of)
      .filter(of => naming.test(of))
      .map(nameOf),
  );
  return [...names].some(of => {
    const isOfIt = (each: StatedValue) => nameOf(each.of) === of;
    const headed = [one, other].map(({ statement }) => statement.heading.values.filter(isOfIt));
    const named = [one, other].map(({ statement, value }, at) => {
      const own = statement.values.filter(each => isOfIt(each) && each.of !== value?.of);
      return own.length > 0 ? own : (headed[at] ?? []);
    });
    return areApart(headed) || areApart(named);
  });
}

function areApart([a = [], b = []]: readonly (readonly StatedValue[])[]): boolean {
  return a.length > 0 && b.length > 0 && !a.some(each => b.some(({ value }) => value === each.value));
}

function nameOf(of: string): string {
  return of.startsWith('weekday') ? 'weekday' : of;
}

/** They name a kind of text, not what it is about. */
const KINDS_OF_TEXT: ReadonlySet<string> = new Set(
  'pergunta duvida frequente resposta faq guia manual informacao geral aviso noticia comunicado cartilha portal pagina site'
    .split(' ')
    .map(stemOf),
);

function differInHeading(one: SubjectSide, other: SubjectSide, weightOf: WeightOf): boolean {
  const ownOf = ({ statement }: SubjectSide, rest: SubjectSide) =>
    [...statement.heading.stems].some(
      stem => !KINDS_OF_TEXT.has(stem) && !isNamed(stem, rest) && weightOf(stem) >= LEAST_WEIGHT,
    );
  return ownOf(one, other) && ownOf(other, one);
}

/** A heading of other parts of the passage names nothing of the statement. */
function isNamed(stem: string, { passage, statement }: SubjectSide): boolean {
  if (!passage.stems.has(stem) || statement.heading.stems.has(stem)) return passage.stems.has(stem);
  return passage.statements.some(({ words }) => words.some(word => word.stem === stem));
}
