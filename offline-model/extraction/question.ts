import { derivedStemOf } from '../../text/words.ts';
import { type AnswerKind, findExpectedKinds, isFigureKind } from './answer-kinds.ts';
import { findImpliedWords } from './implied-words.ts';
import { findQuestionNouns, type QuestionNouns } from './question-nouns.ts';
import { extractTerms, splitIntoWords, toComparableText } from './words.ts';

export interface Question {
  /** stem → weight without rarity */
  readonly terms: ReadonlyMap<string, number>;
  /** the stems of its subject: an answer without any of them is about something else */
  readonly subjects: ReadonlySet<string>;
  /** the stems of the nouns that it names; statements about other nouns do not apply */
  readonly nouns: QuestionNouns;
  readonly kinds: readonly AnswerKind[];
  /** the stem of the counted noun in "quantos alunos" */
  readonly countedNoun: string | undefined;
  /** asks for a list: the whole list is the answer */
  readonly asksList: boolean;
  /** asks for permission: exceptions are part of the answer */
  readonly asksPermission: boolean;
  /** asks whether something is needed */
  readonly asksCondition: boolean;
  /** asks for a figure: a sentence without one is no answer */
  readonly asksFigure: boolean;
}

/** Characters, counted from the end: people often put the question last. */
const MAX_QUESTION_LENGTH = 600;
/** Questions of one message that are answered; the last ones. */
const MAX_QUESTIONS = 3;
/** Terms of one question: ranking takes time in proportion to them. */
const MAX_TERMS = 30;

// Weights of terms, tuned with the tuning questions. A specific word of the question itself weighs 1.
const GENERAL_WEIGHT = 0.5;
const FOLLOW_UP_WEIGHT = 0.5;
const BACKGROUND_WEIGHT = 0.3;
const IMPLIED_WEIGHT = 0.6;
const FOCUS_WEIGHT = 1.2;

// Words in nearly every passage of a university; they do not distinguish passages.
const universityStems = new Set(
  'aluno estudante curso universidade faculdade instituição campus semestre setor departamento'
    .split(' ')
    .map(word => derivedStemOf(toComparableText(word))),
);
// General verbs and nouns; they say little about the subject of the question.
const generalStems = new Set(
  'oferecer custar aceitar existir receber pagar demorar durar abrir ganhar conseguir gostar começar terminar sair entrar'
    .split(' ')
    .map(word => derivedStemOf(toComparableText(word))),
);
// Words that name the kind of answer; the answer often contains the value and not the word.
const answerKindStems = new Set(
  (
    'valor preco custo custa horario hora prazo data dia telefone numero email endereco local nome tempo lugar site ' +
    'periodo contato objetivo link quantidade limite'
  )
    .split(' ')
    .map(derivedStemOf),
);

function findBaseWeight(stem: string): number {
  const isGeneral = answerKindStems.has(stem) || universityStems.has(stem) || generalStems.has(stem);
  return isGeneral ? GENERAL_WEIGHT : 1;
}

function selectSubjects(terms: ReadonlyMap<string, number>): ReadonlySet<string> {
  return new Set([...terms.keys()].filter(stem => findBaseWeight(stem) === 1));
}

function selectNouns(text: string): QuestionNouns {
  const nouns = findQuestionNouns(text, stem => generalStems.has(stem));
  return new Map([...nouns].filter(([stem]) => findBaseWeight(stem) === 1));
}

function addTerms(terms: Map<string, number>, text: string, share: number): void {
  for (const stem of extractTerms(text)) {
    const weight = findBaseWeight(stem) * share;
    if (terms.size < MAX_TERMS && (terms.get(stem) ?? 0) < weight) terms.set(stem, weight);
  }
}

/** False for "quanto pago?": a question about something that was named before. */
export function hasSubject(text: string): boolean {
  return extractTerms(text).some(stem => findBaseWeight(stem) === 1);
}

/** "e aos sábados?", "e quanto custa ela?": incomplete without the question before. */
function isElliptical(text: string): boolean {
  const words = splitIntoWords(text);
  const terms = extractTerms(text).filter(stem => !answerKindStems.has(stem));
  if (terms.length <= 1) return true;
  const backReference = /^(e|mas e|ah e)\b|\b(isso|disso|nisso|ele|ela|eles|elas|dele|dela|nele|nela|la)\b/;
  return terms.length <= 3 && words.length <= 12 && backReference.test(words.join(' '));
}

function findNounAfter(text: string, interrogative: RegExp): string | undefined {
  const words = splitIntoWords(text);
  const index = words.findIndex(word => interrogative.test(word));
  return index < 0 ? undefined : extractTerms(words.slice(index + 1, index + 4).join(' '))[0];
}

/** "quantos alunos", "quais as bolsas": the answer must contain this noun, even if it is common. */
function addFocus(terms: Map<string, number>, text: string): void {
  const focus = findNounAfter(text, /^(quant[oa]s|quais|qual|que)$/);
  if (focus !== undefined && !answerKindStems.has(focus) && terms.has(focus)) terms.set(focus, FOCUS_WEIGHT);
}

const hasTerms = (text: string) => extractTerms(text).length > 0;

/** Two questions in one message are answered separately; the rest of the message is context. */
export function splitQuestions(message: string): { questions: string[]; background: string } {
  const pieces = message.match(/[^?]+\?*/g)?.map(piece => piece.trim()) ?? [];
  const questions = pieces.filter(piece => piece.endsWith('?') && hasTerms(piece)).slice(-MAX_QUESTIONS);
  if (questions.length === 0) return { questions: [message.slice(-MAX_QUESTION_LENGTH)], background: '' };
  const background = pieces.filter(piece => !questions.includes(piece)).join(' ');
  return {
    questions: questions.map(piece => piece.slice(-MAX_QUESTION_LENGTH)),
    background: background.slice(-MAX_QUESTION_LENGTH),
  };
}

/** `earlier`: earlier messages of the user, oldest first; used only if the question is incomplete. */
export function analyzeQuestion(text: string, background: string, earlier: readonly string[]): Question {
  const terms = new Map<string, number>();
  addTerms(terms, text, 1);
  addFocus(terms, text);
  const impliedWords = findImpliedWords(toComparableText(text));
  const ownSubjects = impliedWords === '' ? selectSubjects(terms) : new Set(extractTerms(impliedWords));
  addTerms(terms, impliedWords, IMPLIED_WEIGHT);
  addTerms(terms, background, BACKGROUND_WEIGHT);
  const previous = isElliptical(text) ? earlier.findLast(hasTerms) : undefined;
  let kinds = findExpectedKinds(text);
  if (previous !== undefined) {
    addTerms(terms, previous.slice(-MAX_QUESTION_LENGTH), FOLLOW_UP_WEIGHT);
    if (kinds.length === 0) kinds = findExpectedKinds(previous.slice(-MAX_QUESTION_LENGTH));
  }
  // A follow-up question has the subject of the earlier one.
  const subjects = ownSubjects.size > 0 ? ownSubjects : selectSubjects(terms);
  const asksList = /\b(quais|que (documentos|cursos|bolsas|opcoes|formas)|liste|lista)\b/.test(
    toComparableText(text),
  );
  const asksPermission =
    kinds.includes('procedure') ||
    /\b(posso|pode|podem|podemos|aceitam?|vale|valem|serve|da para|da pra|tem como|consigo)\b/.test(
      toComparableText(text),
    );
  const asksCondition =
    /\b(precis[ao]|precisamos|exige|exigem|exigid[oa]|obrigatori[oa]|necessari[oa])\b/.test(
      toComparableText(text),
    );
  // "posso me matricular com mensalidade atrasada?" mentions money, but asks for yes or no.
  const isYesOrNo =
    (asksPermission || asksCondition) &&
    !/\b(quant[oa]s?|qn?t[oa]s?|qual|quais|quando|que)\b/.test(toComparableText(text));
  const asksFigure = kinds.some(isFigureKind) && !isYesOrNo;
  const textWithContext = previous === undefined ? text : `${previous.slice(-MAX_QUESTION_LENGTH)}. ${text}`;
  const nouns = selectNouns(impliedWords === '' ? textWithContext : impliedWords);
  return {
    terms,
    subjects,
    nouns,
    kinds,
    countedNoun: findNounAfter(text, /^quant[oa]s$/),
    asksList,
    asksPermission,
    asksCondition,
    asksFigure,
  };
}
