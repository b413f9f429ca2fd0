import { foldText, plainLetters } from './fold.ts';

/*
 * A question as it is typed on a phone, in the words that texts have. Only questions are read so: texts are written in full, and
 * nothing that is stored depends on it.
 */

/** `written: typed`, folded. What says nothing about a subject is written as nothing. */
const SHORT_FORMS =
  'quando: qdo qd qnd qndo quado|quanto: qto qnto qt|quanta: qta qnta|quantos: qtos qntos qnts qnt qts|quantas: qtas qntas|' +
  'que: q ke|o que: oq oque|por que: pq pke pk|para: p|onde: ond aond aonde adonde|como: cmo|quem: qm|qual: ql|qualquer: qq qlqr|' +
  'nao: n nn|voce: vc c6 cê ce|voces: vcs|mesmo: msm|muito: mto|tudo: td|todos: tds|hoje: hj|agora: agr|depois: dps dpois|' +
  'quero: qro|fazer: fzr|e: eh|nada: nd|sempre: smp|comigo: cmg|contigo: ctg|ainda: aind|esta: tah|horas: hrs hr|minutos: mins|' +
  'fim de semana: fds|pagamento: pgto pgt pagto|vencimento: vcto venc|quantidade: qtd qtde|endereco: end|telefone: tel|' +
  'dinheiro: dinh|faculdade: facu facul facool|universidade: uni univ|quadrimestre: quad quadri|quadrimestres: quads quadris|' +
  'semestre: smt|administracao: adm|medicina: med|odontologia: odonto|psicologia: psico|fisioterapia: fisio|' +
  'nutricao: nutri|engenharia: eng|: pfv pfvr pls plz obg obgd vlw blz mds aff affs gnt sla slc tlgd flw bjs abs ' +
  'ne neh mano galera socorro';
const writtenOf = new Map(
  SHORT_FORMS.split('|').flatMap(line => {
    const [written = '', typed = ''] = line.split(': ').map(each => each.replace(':', '').trim());
    return typed.split(' ').map(each => [foldText(each), written] as const);
  }),
);

/** `m e n s a l i d a d e` */
const SPACED = /(?<![\p{L}\p{N}] ?)\p{L}(?: \p{L}){4,}(?! ?[\p{L}\p{N}])/gu;
/** Three times or more is no spelling; but digits, and words of one letter such as `www`, are meant. */
const DRAWN_OUT = /([a-z])\1{2,}/g;
const ONE_LETTER = /^([a-z])\1*$/;
const ROMAN = /^[ivxlc]{1,6}$/;
const LAUGHTER = /^(?:k{2,}|(?:rs){2,}|h?(?:[ae]h){2,}[ae]?|(?:ha|he|hua){2,})$/;
/** `1 quad`, `2a via`: a number before these words tells which one. */
const COUNTED = /(?<![\p{L}\p{N}.,/-])(\d{1,2})([ao]?) (?=([a-z]+))/gu;
const MASCULINE = new Set(
  'quadrimestre trimestre bimestre semestre periodo ano ciclo modulo lote dia'.split(' '),
);
const FEMININE = new Set(
  'via chamada fase etapa serie opcao vez dose turma prova matricula parcela mensalidade'.split(' '),
);
const WORD = /(?<![^\s(¿"'*])[a-z0-9]+(?![^\s,;:!?.)"'*…]|[.:](?=\S))/g;
/** A single letter after these is a name: `bloco C`. */
const NAMED_BY_LETTER =
  /(?:bloco|turma|sala|predio|conceito|nota|letra|grupo|classe|setor|nivel|plano|portao|vitamina|alternativa|campus) $/;

/** The folded question, in whole words. */
export function foldTyped(question: string): string {
  const folded = foldText(plainLetters(question))
    .replaceAll(SPACED, spaced => spaced.replaceAll(' ', ''))
    .replaceAll(/[a-z]+/g, shorten);
  const whole = folded.replaceAll(WORD, (word, at: number) => {
    if (LAUGHTER.test(word)) return '';
    if (word.length === 1 && NAMED_BY_LETTER.test(folded.slice(Math.max(at - 12, 0), at))) return word;
    return writtenOf.get(word) ?? word;
  });
  return whole.replaceAll(COUNTED, (given, number: string, ending: string, next: string) => {
    if (MASCULINE.has(next) && ending !== 'a') return `${number}º `;
    return FEMININE.has(next) || ending !== '' ? `${number}${ending === 'o' ? 'º' : 'ª'} ` : given;
  });
}

function shorten(word: string): string {
  if (ONE_LETTER.test(word) || ROMAN.test(word)) return word;
  return word.replaceAll(DRAWN_OUT, (run, letter: string, at: number) =>
    isDoubled(letter, word[at - 1], word[at + run.length]) ? letter + letter : letter,
  );
}

/** Between vowels these two letters are as often double as single, and then a double one is meant: `carrrro`. */
function isDoubled(letter: string, before = '', after = ''): boolean {
  return 'rs'.includes(letter) && /[aeiou]/.test(before) && /[aeiou]/.test(after);
}
