import { toComparableText } from './words.ts';

/** The kind of information that a question asks for; sentences that contain it are likelier answers. */
export type AnswerKind =
  | 'contact'
  | 'date'
  | 'deadline'
  | 'definition'
  | 'duration'
  | 'email'
  | 'hour'
  | 'money'
  | 'person'
  | 'phone'
  | 'place'
  | 'procedure'
  | 'quantity'
  | 'reason'
  | 'site';

const questionPatterns: readonly (readonly [AnswerKind, RegExp])[] = [
  ['email', /\bemail\b/],
  ['phone', /\b(telefone|fone|celular|whatsapp|ramal|numero d[oe] (whats|tel|zap)|ligar|ligo)\b/],
  ['site', /\b(site|link|pagina|portal|url)\b/],
  ['contact', /\b(contato|com quem|a quem|falo com)\b/],
  ['hour', /\bque horas?\b|\bhorarios?\b|\b(abre|fecham?|abrem)\b|\bate que hora/],
  [
    'duration',
    /\bquanto tempo\b|\bdemora|\bdura\b|\bduracao\b|\bquantos (dias|meses|anos|semestres|minutos)\b|\bprazo\b/,
  ],
  [
    'deadline',
    /\bquanto tempo antes\b|\bate (quando|que (dia|data|hora|horas))\b|\b(ultimo dia|data limite|prazo)\b/,
  ],
  [
    'date',
    /\bquando\b|\bque (dia|data|ano|mes)\b|\b(dia|data|prazo|periodo)\b.*\b(d[aeo]|para|pra|que)\b|\bqual (o |a )?(ultimo )?(dia|data)\b/,
  ],
  [
    'money',
    /\bquanto (e|custa|sai|pago|paga|vou pagar|se paga|fica)\b|\b(preco|valor|custo|custam?|taxa|multa|mensalidade|pago|gratis|gratuito)\b/,
  ],
  [
    'quantity',
    /\bquant[oa]s?\b|\b(carga horaria|minim[oa]|maxim[oa]|limite|percentual|porcentagem|numero de)\b|\bqual (e |eh )?(a )?(nota|media)\b/,
  ],
  [
    'place',
    /\b(onde|aonde)\b|\b(local|endereco|lugar|localizad[oa])\b|\b(qual|em que|quais) (a |as )?(cidades?|sala|bloco|predio|paises)\b/,
  ],
  [
    'person',
    /^(e |mas )?quem\b|\bquem (e|eh|sao|foi)\b|\bnome d[oa] (reitor|coordenador|diretor|professor|responsavel)|\bqual (o|a) (reitor|coordenador|diretor)/,
  ],
  [
    'procedure',
    /\bcomo\b|\bquero (me )?(inscrever|matricular|cadastrar)\b|\bo que (eu )?(faco|fazer|devo|preciso)\b|\bpasso a passo\b|\besqueci\b|\bperdi\b/,
  ],
  ['reason', /\bpor ?que\b|\bmotivo\b|\brazao\b|\bobjetivo\b|\bfinalidade\b|\bpara que\b|\bpra que\b/],
  ['definition', /\bo que (e|sao|significa|quer dizer)\b|\bsignificado\b|\bdefinicao\b|\bpara que serve/],
];

const months = 'janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro';
const numerals =
  'dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|doze|quinze|vinte|trinta|cem|metade|dobro';

const answerPatterns: Readonly<Record<AnswerKind, RegExp>> = {
  // Also what stands for an address or a number where the service masks them, such as [EMAIL_1].
  email: /[a-z0-9]@[a-z0-9]|\[email_\d/,
  phone: /\[telefone_\d|\(\d\d\) ?\d{4,5}-?\d{4}|\b0800 ?\d|\d{4,5}-\d{4}|\bramal \d/,
  site: /https?:|www\.|\.br\b|\bportal\b|\baplicativo\b|\bsite\b/,
  contact: /@|\[(email|telefone)_\d|\d{4}-\d{4}|\b0800\b|whatsapp|\batende\b|\bsala \d/,
  hour: /\b\d{1,2}(h|:\d\d)|\b\d{1,2} horas\b|meio-dia|\b(manha|tarde|noite)\b/,
  date: new RegExp(
    `\\b\\d{1,2}/\\d{1,2}\\b|\\b(${months})\\b|\\b(19|20)\\d\\d\\b|\\bdia \\d|\\bsemestre|\\b(segunda|terca|quarta|quinta|sexta)s?\\b|sabado|domingo`,
  ),
  deadline: new RegExp(
    `\\b(ate|prazo|antes|depois|dentro)\\b.*\\b(\\d+|${numerals}|um|uma)o? ?(h\\b|h\\d|horas?|dias?|semanas?|mes(es)?|de (${months}))|\\bdia \\d|\\b(${months})\\b`,
  ),
  duration: new RegExp(
    `\\b(\\d+|${numerals}|um|uma) ?(h|horas?|dias?|mes(es)?|anos?|semestres?|minutos?|semanas?)\\b(?! antes)|na hora\\b`,
  ),
  money:
    /r\$ ?\d|\d reais\b|\bgratuit|\bgratis\b|\bisent|\bdispensad|\bsem (custo|taxa)|nao (se )?pag|nao cust|\d ?%/,
  quantity: new RegExp(`\\d|\\b(${numerals})\\b`),
  place:
    /\b(rua|avenida|av\.|praca|rodovia|bloco|sala|predio|andar|terreo|campus|polo|bairro|cidades?|auditorio|teatro|sede)\b|\b(portal|aplicativo|site|ava)\b|www\.|\.br\b/,
  person: /\b(prof|profa|dr|dra|sr|sra|me)\.|\b(reitora?|diretora?|coordenadora?|professora?)\b/,
  procedure:
    /\b(acess|cli(que|car)|entre n|solicit|preench|envi|basta|por meio|atraves|mediante|deve|abra|escolha|selecione|requer|ped(e|ir|ido)|apresent|faca|feit[oa]|pelo portal|agend|conect)/,
  reason:
    /\b(porque|pois|devido|em razao|por causa|uma vez que|visto que|para que|a fim|objetivo|finalidade|em virtude)\b/,
  definition:
    /\b(e|sao) (um|uma|o|a|os|as|[a-z]+[oa]s?)\b|\b(consiste|trata-se|refere-se|significa|chama-se|define)/,
};

// Two capitalised words in a row, not at the start of the sentence.
const properName = /\S \p{Lu}\p{Ll}+(?: d[aeo]s?)? \p{Lu}\p{Ll}+/u;

/** Kinds that are figures: a wrong figure would be an invention. */
const figureKinds: ReadonlySet<AnswerKind> = new Set<AnswerKind>([
  'date',
  'deadline',
  'duration',
  'email',
  'hour',
  'money',
  'phone',
  'quantity',
]);

export function isFigureKind(kind: AnswerKind): boolean {
  return figureKinds.has(kind);
}

export function findExpectedKinds(question: string): AnswerKind[] {
  const comparableText = toComparableText(question).replace(/\bqto\b|\bqnto\b/g, 'quanto');
  const asked = questionPatterns.filter(([, pattern]) => pattern.test(comparableText)).map(([kind]) => kind);
  // "formas de pagamento da mensalidade" asks for no amount.
  const kinds = /\b(?:formas?|meios?) de pag/.test(comparableText)
    ? asked.filter(kind => kind !== 'money')
    : asked;
  // "quanto custa" and "quanto tempo" imply a unit: a number with another unit would be wrong.
  const isMeasured = kinds.includes('money') || kinds.includes('duration');
  return isMeasured ? kinds.filter(kind => kind !== 'quantity') : kinds;
}

/** `comparableText` is `toComparableText(text)`. */
export function hasAnswerOfKind(kind: AnswerKind, text: string, comparableText: string): boolean {
  if (kind === 'person') return answerPatterns.person.test(comparableText) || properName.test(text);
  return answerPatterns[kind].test(comparableText);
}
