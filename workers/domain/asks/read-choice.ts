import { numberWords } from '../../../text/number-words.ts';
import { type Choice, isFiller, type SaidValue } from './said-value.ts';
import { asks, saidWordsOf } from './talk.ts';

const ORDINALS = 'primeir segund terceir quart quint sext setim oitav non decim'.split(' ');
const YES = new Set(
  (
    'sim|s|ss|si|isso|isso mesmo|isso ai|claro|claro que sim|com certeza|pode ser|pode|pode sim|ok|okay|okey|blz|beleza|quero|quero sim|bora|certo|uhum|aham|' +
    'positivo|confirmo|confirmado|correto|exato|perfeito|manda|manda ver|manda bala|manda ai|yes|yep|fechou|fechado|demorou|tranquilo|show|aceito|combinado|ta|ta bom|ta certo|esta certo|e isso|e isso ai|e isso mesmo|sim senhor|sim sim|opa|pode mandar|vai'
  ).split('|'),
);
const NO = new Set(
  'nao|n|nn|nop|nops|nope|negativo|agora nao|melhor nao|acho que nao|de jeito nenhum|nunca|jamais|no|nem|nao nao|nao pode|ainda nao|claro que nao|nao mesmo'.split(
    '|',
  ),
);
const POLITE = new Set(
  'por favor pfv pf obrigado obrigada obg obgd vlw valeu moca moco mano cara viu ne'.split(' '),
);
const MEANS_YES = new Set('sim yes si ok confirmo confirmar confirma quero aceito pode'.split(' '));
const MEANS_NO = new Set('nao no'.split(' '));

/** Reads the one that is meant: by its title or id, by its number, by yes and no, or by its title within a sentence. */
export function readChoice(text: string, choices: readonly Choice[]): SaidValue | undefined {
  const words = saidWordsOf(text);
  const line = words.join(' ');
  const named = choices.map(choice => ({ choice, title: lineOf(choice.title), id: lineOf(choice.id) }));
  const exact =
    named.find(({ title, id }) => line !== '' && (title === line || id === line))?.choice ??
    choices.find(({ title, id }) => [title, id].includes(text.trim())) ??
    choices[numberIn(words, choices.length) - 1] ??
    yesOrNo(words, named);
  if (exact) return { value: exact.id, isAll: true };
  const within = named.filter(({ title, id }) => holds(line, title) || (id.length > 2 && holds(line, id)));
  const longest = within.filter(
    ({ title }) => !within.some(other => other.title !== title && holds(other.title, title)),
  );
  const [one, other] = longest;
  if (!one || other || asks(text)) return undefined;
  return { value: one.choice.id, isAll: false };
}

function lineOf(text: string): string {
  return saidWordsOf(text).join(' ');
}

function holds(line: string, part: string): boolean {
  return part !== '' && ` ${line} `.includes(` ${part} `);
}

/** Reads `2`, `opção 2`, `a segunda`, `dois`, `2ª`; 0 if there is no number of a choice. */
function numberIn(words: readonly string[], count: number): number {
  const [word = '', ...others] = words.filter(
    each => !isFiller(each) && each !== 'alternativa' && each !== 'item',
  );
  if (word === '' ? !['um', 'uma'].includes(words.at(-1) ?? '') : others.length > 0) return 0;
  const number =
    Number(/^(\d{1,2})[ªºoa]?$/.exec(word)?.[1] ?? Number.NaN) ||
    (word === '' ? 1 : (numberWords.get(word) ?? ordinalIn(word, count)));
  return number >= 1 && number <= count ? number : 0;
}

function ordinalIn(word: string, count: number): number {
  if (/^ultim[ao]$/.test(word)) return count;
  return ORDINALS.indexOf(word.slice(0, -1)) + 1;
}

interface Named {
  readonly choice: Choice;
  readonly title: string;
  readonly id: string;
}

function yesOrNo(words: readonly string[], named: readonly Named[]): Choice | undefined {
  const line = words.filter(word => !POLITE.has(word)).join(' ');
  const wanted = YES.has(line) ? MEANS_YES : NO.has(line) ? MEANS_NO : undefined;
  const meant = named.filter(({ title, id }) =>
    [title, id].some(each => wanted?.has(each.split(' ')[0] ?? '')),
  );
  return meant.length === 1 ? meant[0]?.choice : undefined;
}
