/** Portuguese number words, for the answers of the benchmark; the code under test reads them with its own list. */
const SMALL =
  'zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove'.split(
    ' ',
  );
const TENS = 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'.split(' ');
const HUNDREDS =
  'cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos'.split(' ');

export function inWords(value: number): string {
  if (value < 20) return SMALL[value] ?? '';
  if (value < 100) return joined(TENS[Math.floor(value / 10) - 2] ?? '', value % 10);
  if (value === 100) return 'cem';
  if (value < 1_000) return joined(HUNDREDS[Math.floor(value / 100) - 1] ?? '', value % 100);
  const thousands = Math.floor(value / 1_000);
  const rest = value % 1_000;
  const head = thousands === 1 ? 'mil' : `${inWords(thousands)} mil`;
  if (rest === 0) return head;
  return rest < 100 || rest % 100 === 0 ? `${head} e ${inWords(rest)}` : `${head} ${inWords(rest)}`;
}

function joined(head: string, rest: number): string {
  return rest === 0 ? head : `${head} e ${inWords(rest)}`;
}
