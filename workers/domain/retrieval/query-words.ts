import { foldText } from '../../../text/fold.ts';
import { isSpecific, stemOf, wordsOf } from '../../../text/words.ts';
import { synonymsOf } from './synonyms.ts';

/** A normalized word of the query with its weight: 1 for the current question. */
export interface QueryWord {
  readonly word: string;
  readonly weight: number;
  /** The word of the query that it is a synonym of; both stand for one concept. */
  readonly synonymOf?: string;
}

/** Words beyond these limits cost more than they find. */
const MAX_CHARACTERS = 2_000;
const MAX_WORDS = 32;
const EARLIER = 0.75;
const GENERAL = 0.4;
const MAX_SYNONYMS = 24;
/** Verbs and nouns of any question, which say little about its subject. */
const general: ReadonlySet<string> = new Set(
  (
    'acontece acontecer adianta apenas caber cabem conseguir consigo consegue conta contar custa custam dar dou deve devo dever ' +
    'dizer existe existem existir faz fazem fazer faco feito fica ficar fico ficam funciona funcionam gostaria haver leva levar levo ' +
    'pegar pego pode podem poder posso precisa preciso precisam precisar quer querer queria quero saber sai sair saem sei ' +
    'serve servem tenho tipo tipos usar uso vai vale vou vao vem vir ver vejo quantos coisa agora depois antes ainda ' +
    'dizem vez vezes alguem algum alguma alguns algumas outro outra outros outras todo toda todos todas forma jeito'
  )
    .split(' ')
    .map(stemOf),
);

/** Each word once, in order; earlier questions weigh less with their age, and synonyms come last. */
export function queryWordsOf(query: string, earlier: readonly string[]): QueryWord[] {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    const normalized = foldText(text.slice(0, MAX_CHARACTERS));
    const words = wordsOf(normalized);
    const specific = (translateEnglishWords(words) ?? words).filter(isSpecific);
    for (const word of [...specific, ...addressesIn(normalized)]) {
      if (!weights.has(word)) weights.set(word, weight * (general.has(stemOf(word)) ? GENERAL : 1));
    }
  };
  add(query, 1);
  for (const [back, text] of earlier.toReversed().entries()) add(text, EARLIER ** (back + 1));
  const literal: QueryWord[] = [...weights].slice(0, MAX_WORDS).map(([word, weight]) => ({ word, weight }));
  const synonyms = literal.flatMap(({ word, weight }) =>
    synonymsOf(word)
      .filter(other => !weights.has(other))
      .map(other => ({ word: other, weight, synonymOf: word })),
  );
  return [...literal, ...synonyms.slice(0, MAX_SYNONYMS)];
}

/** Whether the query has any specific word. */
export function hasQueryWords(query: string, earlier: readonly string[] = []): boolean {
  return queryWordsOf(query, earlier).length > 0;
}

/** The noun that is counted in "quantos alunos". */
export function countedNounOf(query: string): string | undefined {
  return /\bquant[oa]s ([a-z]+)/.exec(foldText(query))?.[1];
}

const letter = /[\p{L}\p{N}]/u;
const separator = /[.@/]/;

/**
 * Tokens that the index keeps whole: runs without blanks that contain a dot, an at sign or a slash, up to their last
 * letter.
 */
export function addressesIn(text: string): string[] {
  return text.split(/\s+/).map(upToLastLetter).filter(isAddress);
}

/** Scans from the end: a regular expression would backtrack. */
function upToLastLetter(run: string): string {
  const characters = Array.from(run);
  return characters.slice(0, characters.findLastIndex(each => letter.test(each)) + 1).join('');
}

function isAddress(run: string): boolean {
  return separator.test(run.slice(1));
}

/** English words with their Portuguese translations in a knowledge base. */
const pairs =
  'library biblioteca|book livro|books livros|borrow retirar|fee taxa|fees taxas|price valor|cost valor|costs custam|pay pagar|' +
  'payment pagamento|tuition mensalidade|free gratuito|discount desconto|discounts descontos|scholarship bolsa|scholarships bolsas|' +
  'loan credito|refund reembolso|invoice boleto|slip boleto|duplicate segunda via|exam prova|exams provas|entrance vestibular|' +
  'admission vestibular|grade nota|grades notas|pass aprovacao|absences faltas|attendance frequencia|class aula|classes aulas|' +
  'semester semestre|term semestre|start comecam|starts comecam|begin comecam|begins comecam|end terminam|ends terminam|' +
  'holiday feriado|holidays feriados|saturday sabado|saturdays sabados|deadline prazo|opening horario atendimento|hours horario|' +
  'document documento|documents documentos|enroll matricula|enrol matricula|enrollment matricula|register inscricao|' +
  'registration inscricao|apply inscricao|application inscricao|transfer transferencia|course curso|courses cursos|program curso|' +
  'programs cursos|law direito|medicine medicina|nursing enfermagem|dentistry odontologia|psychology psicologia|' +
  'engineering engenharia|business administracao|accounting contabeis|distance distancia|address endereco|where endereco fica|' +
  'parking estacionamento|visit visita|phone telefone|contact contato|office setor|secretary secretaria|registrar secretaria|' +
  'ombudsman ouvidoria|password senha|internship estagio|thesis tcc|degree diploma|transcript historico|certificate certificado|' +
  'graduation colacao|suspend trancar|cancel cancelar|change troca|shift turno|student aluno|students alunos|card carteirinha|' +
  'freshman calouro|freshmen calouros|teacher professor|support apoio|disability acessibilidade|postgraduate pos graduacao|' +
  'alumni ex alunos|siblings irmaos|brother irmao|sister irma|due vence|debt atraso|late atraso|fine multa|interest juros|credit credito';

const portuguese: ReadonlyMap<string, readonly string[]> = new Map(
  pairs.split('|').map(pair => {
    const [english = '', ...words] = pair.split(' ');
    return [english, words];
  }),
);

/** Words that do not occur in Portuguese. */
const onlyEnglish: ReadonlySet<string> = new Set(
  (
    'the what when where which who how is are was does did can could may my your you i it this that there and of to for from with ' +
    'have has get need want would should much many long please'
  ).split(' '),
);
const MIN_ENGLISH_WORDS = 2;

/**
 * Translates the normalized words of an English question; unknown words stay, function words are dropped. Undefined if
 * the question is not English.
 */
function translateEnglishWords(words: readonly string[]): readonly string[] | undefined {
  if (words.filter(word => onlyEnglish.has(word)).length < MIN_ENGLISH_WORDS) return undefined;
  return words.flatMap(word => portuguese.get(word) ?? (onlyEnglish.has(word) ? [] : [word]));
}
