import { saidWordsOf } from './talk.ts';

export interface Choice {
  readonly id: string;
  readonly title: string;
}

export interface SaidValue {
  readonly value: string | number;
  /** Whether the message says nothing else. */
  readonly isAll: boolean;
}

/** Words beside a value that say nothing else. */
const FILLERS = new Set(
  (
    'e eh o a os as um uma meu minha seu sua numero numeros num nr n sao ser seria acho que foi pode por favor pfv obrigado obrigada oi ola bom boa ' +
    'tarde noite entao bem ah hum aqui esta ta segue isso mesmo de do da em no na pra para dia mes ano vai vou quero escolho prefiro opcao ' +
    'data cpf email mail telefone celular fone whatsapp zap blz beleza ok certo sim claro pronto la mano uns umas so apenas somente com ao total seriam'
  ).split(' '),
);

export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

export function saysNoMore(rest: string): boolean {
  return saidWordsOf(rest).every(isFiller);
}

/** The text with its choices on numbered lines, for channels without buttons. */
export function withChoices(text: string, choices: readonly Choice[] = []): string {
  const lines = choices.map(({ title }, at) => `${at + 1}. ${title}`);
  return lines.length > 0 ? `${text}\n\n${lines.join('\n')}` : text;
}
