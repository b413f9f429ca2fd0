/** Terms of the knowledge base that common phrasings imply. */
const implications: readonly (readonly [phrasing: RegExp, words: string])[] = [
  [
    /\b(?:quantas|limite de|maximo de|numero de) (?:faltas|ausencias)\b|\bposso faltar\b/,
    'frequência mínima das aulas',
  ],
  [/\b(?:quero|queria|como)\b.{0,30}\b(?:inscrev\w{1,4}|estudar)\b/, 'inscrição no vestibular'],
  [/\b(?:formas?|meios?) de pag(?:ar|amento)\b/, 'pagamento boleto pix cartão'],
  [/\bdocumentos?\b.{0,40}\b(?:matricula\b|me matricular\b)/, 'documentos CPF matrícula'],
  [/\b(?:frequencia|presenca)\b.{0,30}\breprov/, 'frequência abaixo do mínimo'],
  [/\b(?:adiantado|antecipado|antes do vencimento)\b/, 'desconto para quem paga até o dia'],
];

export function findImpliedWords(comparableText: string): string {
  return implications
    .filter(([phrasing]) => phrasing.test(comparableText))
    .map(([, words]) => words)
    .join(' ');
}
