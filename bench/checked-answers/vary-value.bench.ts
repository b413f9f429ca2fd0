import type { Random } from './seeded.bench.ts';

/** Another value of the same kind, such as a model may invent: a digit, a unit or a place next to the right one. */
export function varyValue(kind: string, value: string, random: Random): string {
  switch (kind) {
    case 'd':
    case 'dm':
      return varyDate(value, random);
    case 't':
      return varyTime(value, random);
    case 'e':
    case 'u':
      return varyAddress(value, random);
    case 'f':
      return varyDigit(value, 4 + random.below(value.length - 4), random);
    case 'y':
      return String(Number(value) + random.pick([-2, -1, 1, 2, 10]));
    case 'day':
      return String(((Number(value) + random.below(26)) % 28) + 1);
    case 'o':
      return String(((Number(value) + random.below(8)) % 10) + 1);
    case 'm':
      return varyMoney(Number(value), random);
    case 'p':
      return String(((Number(value) + random.below(97)) % 98) + 1);
    case 'dec':
    case 'km2':
      return String((Number(value) * 10 + 1 + random.below(30)) / 10);
    default:
      return varyCount(Number(value), random);
  }
}

function varyMoney(value: number, random: Random): string {
  const changes = [value + 10, value + 100, value * 10, value + 0.5, value / 2, value + 1, value * 1.1];
  return (Math.round(random.pick(changes) * 100) / 100).toFixed(2);
}

function varyCount(value: number, random: Random): string {
  const changes = [value + 1, value + 2, value + 10, value * 2, value * 10, value + 5];
  return String(value > 3 ? random.pick([...changes, value - 1, value - 2]) : random.pick(changes));
}

function varyDate(value: string, random: Random): string {
  const parts = value.split('-');
  const [month = '01', day = '01'] = parts.slice(-2);
  const changes: string[][] = [
    [month, two(((Number(day) + random.below(26)) % 28) + 1)],
    [two(((Number(month) + random.below(10)) % 12) + 1), day === '31' || day === '30' ? '15' : day],
  ];
  const [newMonth = '', newDay = ''] = random.pick(changes);
  return [...parts.slice(0, -2), newMonth, newDay].join('-');
}

function varyTime(value: string, random: Random): string {
  const [hour = 0, minute = 0] = value.split(':').map(Number);
  const minutes = (hour * 60 + minute + random.pick([-60, -30, 15, 30, 60, 120]) + 1440) % 1440;
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function varyAddress(value: string, random: Random): string {
  const letters = [...value.matchAll(/[a-z]/g)].map(({ index }) => index).filter(at => at > 7);
  const at = random.pick(letters.slice(0, -7));
  const letter = random.pick('abdefgkmnoprstuvz'.split('').filter(each => each !== value[at]));
  return value.slice(0, at) + letter + value.slice(at + 1);
}

export function varyDigit(text: string, at: number, random: Random): string {
  const digit = (Number(text[at]) + 1 + random.below(9)) % 10;
  return text.slice(0, at) + String(digit) + text.slice(at + 1);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
