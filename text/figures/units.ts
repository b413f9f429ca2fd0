/** A dimension, and how many of its smallest unit this one has. */
export interface Unit {
  readonly dimension: string;
  readonly factor: number;
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** The words for each unit are folded. */
const UNITS: readonly (readonly [words: string, dimension: string, factor: number])[] = [
  ['min mins minuto minutos', 'minutes', 1],
  ['h hs hr hrs hora horas', 'minutes', HOUR],
  ['dia dias', 'minutes', DAY],
  ['semana semanas', 'minutes', 7 * DAY],
  ['mes meses', 'months', 1],
  ['bimestre bimestres', 'months', 2],
  ['trimestre trimestres', 'months', 3],
  ['semestre semestres periodo periodos', 'months', 6],
  ['ano anos', 'months', 12],
  ['m metro metros', 'metres', 1],
  ['km kms quilometro quilometros', 'metres', 1_000],
  ['cm centimetro centimetros', 'metres', 0.01],
  ['g grama gramas', 'grams', 1],
  ['kg kgs quilo quilos', 'grams', 1_000],
  ['l litro litros', 'litres', 1],
  ['ml', 'litres', 0.001],
  ['mb megabyte megabytes', 'megabytes', 1],
  ['gb gigabyte gigabytes', 'megabytes', 1_000],
];

const units: ReadonlyMap<string, Unit> = new Map(
  UNITS.flatMap(([words, dimension, factor]) =>
    words.split(' ').map(word => [word, { dimension, factor }] as const),
  ),
);

export function unitOf(word: string): Unit | undefined {
  return units.get(word);
}

const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ['r$', 'BRL'],
  ['brl', 'BRL'],
  ['$', 'BRL'],
  ['real', 'BRL'],
  ['reais', 'BRL'],
  ['us$', 'USD'],
  ['usd', 'USD'],
  ['dolar', 'USD'],
  ['dolares', 'USD'],
  ['€', 'EUR'],
  ['eur', 'EUR'],
  ['euro', 'EUR'],
  ['euros', 'EUR'],
]);

export function currencyOf(word: string): string | undefined {
  return CURRENCIES.get(word);
}

const MONTHS =
  'janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ');
const ENGLISH_MONTHS =
  'january february march april may june july august september october november december'.split(' ');
const months: ReadonlyMap<string, number> = new Map(
  [MONTHS, ENGLISH_MONTHS].flatMap(names =>
    names.flatMap((name, at) => [
      [name, at + 1],
      [name.slice(0, 3), at + 1],
    ]),
  ),
);
const englishMonths: ReadonlySet<string> = new Set(ENGLISH_MONTHS.flatMap(name => [name, name.slice(0, 3)]));

export function isEnglishMonth(word: string): boolean {
  return englishMonths.has(word);
}

/** 1 to 12. Some short forms are also other words: `set`, `dez`, `mar`. */
export function monthOf(word: string): number | undefined {
  return months.get(word);
}

export function isMonthName(word: string): boolean {
  return word.length > 3 && months.has(word);
}

const ORDINALS = 'primeir segund terceir quart quint sext setim oitav non decim'.split(' ');
const ordinals: ReadonlyMap<string, number> = new Map(
  ORDINALS.flatMap((stem, at) => ['o', 'a', 'os', 'as'].map(end => [`${stem}${end}`, at + 1] as const)),
);

/** 1 to 10. */
export function ordinalOf(word: string): number | undefined {
  return ordinals.get(word);
}
