import { inWords } from './number-words.bench.ts';
import { heldOutSpellings, type Spellings, tuningSpellings } from './spellings.bench.ts';

/*
 * Spellings of a figure that is the whole answer, and spellings of sentences that the others lack. Half of them were held out:
 * written before the code, and looked at only for the final figure.
 */

const grouped = (value: string) => value.replace(/\B(?=(?:\d{3})+$)/g, '.');
const money = (value: string) => Number(value).toFixed(2).replace('.', ',');
const words = (value: string) => {
  const text = inWords(Number(value));
  return text.charAt(0).toUpperCase() + text.slice(1);
};
const wholeOf = (value: string) => (Number(value) % 1 === 0 ? grouped(String(Number(value))) : undefined);
const hours = (value: string) => `${Number(value.slice(0, 2))}h${value.endsWith('00') ? '' : value.slice(3)}`;
const fullDate = (value: string) => value.split('-').toReversed().join('/');
const MONTHS =
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ');
const dayOfMonth = (value: string) =>
  `${Number(value.slice(-2))} de ${MONTHS[Number(value.slice(-5, -3)) - 1]}`;

function framed(frames: readonly string[], kinds: Spellings): Spellings {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, spell]) => [
      kind,
      spell.flatMap(write =>
        frames.map(frame => (value: string) => {
          const text = write(value);
          return text === undefined ? undefined : frame.replace('#', text);
        }),
      ),
    ]),
  );
}

const counts = (unit: string): Spellings[string] => [grouped, value => `${grouped(value)}${unit}`];
const decimal = (value: string) => value.replace('.', ',');
const ofKinds = (number: Spellings[string], amounts: Spellings[string]): Spellings => ({
  n: number,
  y: [value => value],
  dec: [decimal],
  o: [value => `${value}º`, value => value],
  day: [value => value],
  m: amounts,
  p: [value => `${value}%`, value => value],
  d: [fullDate],
  dm: [value => `${value.slice(-2)}/${value.slice(0, 2)}`],
  t: [hours],
  dias: number,
  meses: number,
  anos: number,
  sem: number,
  horas: number,
  min: number,
  km: number,
  kg: number,
});

export const tuningBare = framed(
  ['#.', '#', '**#**', '**#.**', 'São #.', '- #'],
  ofKinds(counts(''), [value => `R$ ${money(value)}`, money, wholeOf]),
);

export const heldOutBare = framed(
  ['#', '#.', '*#*', '#!', 'Resposta: #.', '> #', '* **#**', '\n#.\n', 'É #, sim.', '`#`'],
  {
    ...ofKinds([grouped, value => value], [value => `R$${money(value)}`, money]),
    n: [grouped, value => value, words],
    d: [fullDate, dayOfMonth],
    t: [hours, value => value],
    dias: [grouped, words],
  },
);

const weights: Spellings = { kg: [value => `${value} kg`, value => `${value} quilos`] };
export const tuningServices: Spellings = {
  ...tuningSpellings,
  ...weights,
  km: [...(tuningSpellings['km'] ?? []), value => `${value} quilômetros`],
  m: [...(tuningSpellings['m'] ?? []), value => `${money(value)} reais`, value => `_R$ ${money(value)}_`],
  t: [...(tuningSpellings['t'] ?? []), value => `${value}h`, value => `${hours(value)} em ponto`],
};
export const heldOutServices: Spellings = {
  ...heldOutSpellings,
  kg: [...(weights['kg'] ?? []), value => `${value}kg`, value => `${Number(value) * 1_000} gramas`],
  p: [...(heldOutSpellings['p'] ?? []), value => `${value},00 %`],
  y: [value => value, value => `**${value}**`],
  dias: [...(heldOutSpellings['dias'] ?? []), value => `${value} dias corridos`],
  o: [...(heldOutSpellings['o'] ?? []), value => `${value}°`],
};
