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
  'escrita oral didatica pratica titulos',
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
];
const kindOfStem = new Map<string, readonly (readonly [kind: number, name: number])[]>();
for (const [kind, line] of KINDS.entries())
  for (const [name, words] of line.split(' ').entries())
    for (const word of words.split('/')) {
      const stem = stemOf(word);
      kindOfStem.set(stem, [...(kindOfStem.get(stem) ?? []), [kind, name]]);
    }

export type WeightOf = (stem: string) => number;

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
