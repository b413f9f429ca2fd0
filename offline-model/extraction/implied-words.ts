/** Terms of the knowledge base that common phrasings imply. */
const implied: readonly (readonly [asked: RegExp, meant: string])[] = [
  [
    /\b(?:quantas|limite de|maximo de|numero de) (?:faltas|ausencias)\b|\bposso faltar\b/,
    'frequência mínima das aulas',
  ],
  [/\b(?:quero|queria|como)\b.{0,30}\b(?:inscrev\w{1,4}|estudar)\b/, 'inscrição no vestibular'],
  [/\b(?:adiantado|antecipado|antes do vencimento)\b/, 'desconto para quem paga até o dia'],
];

export function findImpliedWords(folded: string): string {
  return implied
    .filter(([asked]) => asked.test(folded))
    .map(([, meant]) => meant)
    .join(' ');
}
