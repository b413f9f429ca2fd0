import { inWords } from './number-words.bench.ts';

/** Returns undefined if the value cannot be written this way. */
export type Spelling = (value: string) => string | undefined;
export type Spellings = Readonly<Record<string, readonly Spelling[]>>;

const MONTHS =
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ');
const ORDINALS = 'primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo'.split(' ');

interface DateParts {
  readonly y: string;
  readonly m: string;
  readonly d: string;
  readonly month: string;
}

const partsOf = (value: string): DateParts => {
  const [y = '', m = '', d = ''] = value.length > 5 ? value.split('-') : ['', ...value.split('-')];
  return { y, m, d, month: MONTHS[Number(m) - 1] ?? '' };
};
const date =
  (write: (parts: DateParts) => string): Spelling =>
  value =>
    write(partsOf(value));
const number =
  (write: (value: number) => string | undefined): Spelling =>
  value =>
    write(Number(value));
const whole =
  (write: (value: number) => string | undefined, least = 2): Spelling =>
  value =>
    Number.isInteger(Number(value)) && Number(value) >= least ? write(Number(value)) : undefined;
const time =
  (write: (hour: number, minute: number) => string | undefined): Spelling =>
  value => {
    const [hour = 0, minute = 0] = value.split(':').map(Number);
    return write(hour, minute);
  };

const two = (value: number) => String(value).padStart(2, '0');
const grouped = (value: number, sign = '.') => String(value).replace(/\B(?=(?:\d{3})+$)/g, sign);
const cents = (value: number) => Math.round(value * 100) % 100;
const reais = (value: number) => Math.floor(value + 0.001);
const amount = (value: number, sign = '.') => `${grouped(reais(value), sign)},${two(cents(value))}`;
const plain = (value: number) => `${reais(value)},${two(cents(value))}`;
const isFree = (value: string) => value.startsWith('0800');
const phone =
  (write: (area: string, first: string, last: string) => string | undefined): Spelling =>
  value =>
    isFree(value) ? undefined : write(value.slice(0, 2), value.slice(2, -4), value.slice(-4));
const measured = (spellings: readonly ((text: string) => string)[], inNumber: readonly Spelling[]) =>
  inNumber.flatMap(spell =>
    spellings.map(
      (write): Spelling =>
        value => {
          const text = spell(value);
          return text === undefined ? undefined : write(text);
        },
    ),
  );
const digits = number(value => grouped(value));
const ungrouped = number(String);
const words = whole(inWords);

function moneyInWords(value: number): string {
  const units = reais(value) === 0 ? '' : `${inWords(reais(value))} reais`;
  const rest = cents(value) === 0 ? '' : `${inWords(cents(value))} centavos`;
  return [units, rest].filter(Boolean).join(' e ');
}

const duration = (unit: string, numbers: readonly Spelling[] = [digits, words]) =>
  measured([text => `${text} ${unit}`], numbers);

/** The code was tuned with these spellings. */
export const tuningSpellings: Spellings = {
  m: [
    number(value => `R$ ${amount(value)}`),
    number(value => `R$${plain(value)}`),
    number(value => `${amount(value)} reais`),
    number(moneyInWords),
    whole(value => `R$ ${grouped(value)}`),
    whole(value => `${value} reais`),
  ],
  d: [
    date(({ d, m, y }) => `${d}/${m}/${y}`),
    date(({ d, m, y }) => `${Number(d)}/${Number(m)}/${y.slice(2)}`),
    date(({ d, month, y }) => `${Number(d)} de ${month} de ${y}`),
    date(({ d, month }) => `${Number(d)} de ${month}`),
    date(({ d, m, y }) => `${y}-${m}-${d}`),
    date(({ d, m }) => `${d}/${m}`),
  ],
  dm: [date(({ d, month }) => `${Number(d)} de ${month}`), date(({ d, m }) => `${d}/${m}`)],
  day: [ungrouped, number(two)],
  y: [ungrouped],
  p: [
    number(value => `${value}%`),
    number(value => `${value} %`),
    number(value => `${value} por cento`),
    whole(value => `${inWords(value)} por cento`),
    number(value => (value === 50 ? 'metade' : undefined)),
  ],
  t: [
    time((h, m) => `${h}h${m === 0 ? '' : two(m)}`),
    time((h, m) => `${two(h)}:${two(m)}`),
    time((h, m) => (m === 0 ? `${h} horas` : undefined)),
    time((h, m) => (m === 30 && h > 2 ? `${inWords(h)} e meia` : undefined)),
  ],
  n: [digits, ungrouped, words],
  dec: [value => value.replace('.', ','), value => value],
  o: [value => `${value}º`, value => ORDINALS[Number(value) - 1]],
  dias: duration('dias'),
  meses: duration('meses'),
  anos: [
    ...duration('anos', [whole(String), whole(inWords)]),
    number(value => (value === 1 ? 'um ano' : undefined)),
  ],
  sem: duration('semestres'),
  horas: [...duration('horas'), number(value => `${grouped(value)}h`)],
  min: [...duration('minutos'), number(value => `${value} min`)],
  f: [
    phone((area, a, b) => `(${area}) ${a}-${b}`),
    phone((area, a, b) => `${area} ${a}${b}`),
    phone((_, a, b) => `${a}-${b}`),
    value => (isFree(value) ? `${value.slice(0, 4)} ${value.slice(4, 7)} ${value.slice(7)}` : undefined),
    value => (isFree(value) ? `${value.slice(0, 4)}-${value.slice(4, 7)}-${value.slice(7)}` : undefined),
  ],
  e: [value => value, value => value.toUpperCase(), value => `[${value}](mailto:${value})`],
  u: [value => value, value => value.replace('https://', ''), value => `[aqui](${value})`],
  km: duration('km'),
  km2: duration('km²', [value => value.replace('.', ',')]),
  m2: duration('metros', [digits, ungrouped]),
};

/** Held out: written before the code, and looked at only for the final figure. */
export const heldOutSpellings: Spellings = {
  m: [
    number(value => `R$ ${plain(value)}`),
    number(value => `R$\u00a0${amount(value)}`),
    number(value => `**R$ ${amount(value)}**`),
    number(value => (cents(value) === 0 ? undefined : `${reais(value)} reais e ${cents(value)} centavos`)),
    number(value =>
      value >= 1_000 && value % 100 === 0 ? `R$ ${String(value / 1_000).replace('.', ',')} mil` : undefined,
    ),
    number(value => `R$ ${amount(value)} (${moneyInWords(value)})`),
    number(value => `${amount(value, ' ')} reais`),
    number(value => `BRL ${amount(value)}`),
  ],
  d: [
    date(({ d, m, y }) => `${d}.${m}.${y}`),
    date(({ d, m, y }) => `${d}-${m}-${y}`),
    date(({ d, m, y }) => `${d}/${MONTHS[Number(m) - 1]?.slice(0, 3)}/${y}`),
    date(({ d, month, y }) => `${inWords(Number(d))} de ${month} de ${y}`),
    date(({ d, month }) => `dia ${Number(d)} de ${month}`),
    date(({ d, month }) => `**${d} de ${month}**`),
    date(({ d, month, y }) => `${Number(d)} ${month.slice(0, 3)}. ${y}`),
    date(({ d, month, y }) => `${month} (dia ${Number(d)}) de ${y}`),
    date(({ d, m }) => `sexta-feira (${d}/${m})`),
    date(({ d, month, y }) => `${Number(d)} de ${month.toUpperCase()} de ${y}`),
    date(({ d, month, y }) => `${Number(d)} de ${month}/${y}`),
  ],
  dm: [
    date(({ d, month }) => `dia ${Number(d)} de ${month}`),
    date(({ d, month }) => `${inWords(Number(d))} de ${month}`),
    date(({ d, month }) => `${d} de ${month.slice(0, 3)}`),
  ],
  day: [whole(inWords), number(value => `${value}`)],
  y: [whole(inWords), ungrouped],
  p: [
    number(value => `**${value}%**`),
    number(value => `${value},0%`),
    number(value => `${value}% (${inWords(value)} por cento)`),
    number(value => (value === 50 ? 'a metade' : undefined)),
  ],
  t: [
    time((h, m) => `${two(h)}h${two(m)}`),
    time((h, m) => `${h}h${m === 0 ? '' : `${two(m)}min`}`),
    time((h, m) => (m === 0 ? undefined : `${h} horas e ${m} minutos`)),
    time((h, m) => (h > 13 && m === 0 ? `${h - 12} da ${h < 18 ? 'tarde' : 'noite'}` : undefined)),
    time((h, m) => `${two(h)}:${two(m)}h`),
    time((h, m) => (m === 0 ? inWords(h) : undefined)),
    time((h, m) => (m === 15 ? `${inWords(h)} e quinze` : undefined)),
    time((h, m) =>
      h > 13 && m === 30 ? `${inWords(h - 12)} e meia da ${h < 18 ? 'tarde' : 'noite'}` : undefined,
    ),
  ],
  n: [number(value => `**${grouped(value)}**`), number(value => `${value} (${inWords(value)})`), words],
  dec: [value => `**${value.replace('.', ',')}**`, number(value => value.toFixed(2).replace('.', ','))],
  o: [value => `${value}o`, value => `${value}.º`],
  dias: [
    ...duration('dias', [number(two)]),
    ...measured([text => `${text} dias`], [number(value => `${value} (${inWords(value)})`)]),
  ],
  meses: [
    number(value => (value % 12 === 0 && value > 12 ? `${inWords(value / 12)} anos` : undefined)),
    number(value => (value === 12 ? 'um ano' : undefined)),
    ...duration('meses', [number(value => `${value} (${inWords(value)})`)]),
  ],
  anos: [
    ...duration('anos', [whole(value => `${value} (${inWords(value)})`)]),
    number(value => (value === 1 ? '12 meses' : undefined)),
  ],
  sem: [
    number(value => (value % 2 === 0 ? `${value / 2} anos` : undefined)),
    ...duration('períodos', [words]),
  ],
  horas: [
    number(value => `${grouped(value)} hs`),
    number(value => `${grouped(value)} h`),
    number(value => `${value} horas`),
    number(value => `${value}hrs`),
  ],
  min: [
    number(value => (value === 60 ? 'uma hora' : undefined)),
    number(value => `${value}min`),
    number(value => `${value}'`),
    number(value => `${value} (${inWords(value)}) minutos`),
  ],
  f: [
    phone((area, a, b) => `+55 ${area} ${a}-${b}`),
    phone((area, a, b) => `+55 (${area}) ${a}-${b}`),
    phone((area, a, b) => `${area}${a}${b}`),
    phone((area, a, b) => `0${area} ${a}.${b}`),
    phone((area, a, b) => `[${area} ${a} ${b}](tel:+55${area}${a}${b})`),
    value => (isFree(value) ? value : undefined),
    value => (isFree(value) ? `${value.slice(0, 4)} ${value.slice(4)}` : undefined),
  ],
  e: [value => `**${value}**`, value => `<${value}>`, value => `\`${value}\``],
  u: [
    value => `<${value}>`,
    value => `${value}/`,
    value => value.replace('https://', 'http://'),
    value => value.replace('https://www.', 'https://'),
  ],
  km: [
    number(value => `${value}km`),
    number(value => `${value} quilômetros`),
    number(value => `${inWords(value)} quilômetros`),
  ],
  km2: [value => `${value.replace('.', ',')} quilômetros quadrados`],
  m2: [
    number(value => `${grouped(value)} m`),
    number(value => `${String(value / 1000).replace('.', ',')} km`),
    number(value => `${value}m`),
  ],
};
