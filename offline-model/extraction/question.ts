import { type AnswerKind, isFigure, kindsAskedFor } from './answer-kinds.ts';
import { findImpliedWords } from './implied-words.ts';
import { findQuestionNouns, type QuestionNouns } from './question-nouns.ts';
import { foldText, stemOf, termsOf, wordsOf } from './words.ts';

export interface Question {
  /** stem → weight without rarity */
  readonly terms: ReadonlyMap<string, number>;
  /** the stems of its subject: an answer without any of them is about something else */
  readonly subjects: ReadonlySet<string>;
  /** the stems of the nouns that it names; statements about other nouns do not apply */
  readonly named: QuestionNouns;
  readonly kinds: readonly AnswerKind[];
  /** the stem of the counted noun in "quantos alunos" */
  readonly counted: string | undefined;
  /** asks for a list: the whole list is the answer */
  readonly wantsList: boolean;
  /** asks for permission: exceptions are part of the answer */
  readonly asksPermission: boolean;
  /** asks whether something is needed */
  readonly asksCondition: boolean;
  /** asks for a figure: a sentence without one is no answer */
  readonly asksFigure: boolean;
}

const MAX_FOCUS_LENGTH = 600;
const MAX_TERMS = 30;
const followUpWeight = 0.5;
const backgroundWeight = 0.3;
const impliedWeight = 0.6;
const focusWeight = 1.2;

// Words in nearly every passage of a university; they do not distinguish passages.
const commonplace = new Set(
  'aluno estudante curso universidade faculdade instituição campus semestre'
    .split(' ')
    .map(word => stemOf(foldText(word))),
);
// General verbs and nouns; they say little about the subject of the question.
const ofAnything = new Set(
  'oferecer custar aceitar existir receber pagar demorar durar abrir ganhar conseguir gostar começar terminar sair entrar'
    .split(' ')
    .map(word => stemOf(foldText(word))),
);
// Words that name the kind of answer; the answer often contains the value and not the word.
const kindWords = new Set(
  (
    'valor preco custo custa horario hora prazo data dia telefone numero email endereco local nome tempo lugar site ' +
    'periodo contato objetivo link quantidade limite'
  )
    .split(' ')
    .map(stemOf),
);

function baseWeightOf(stem: string): number {
  if (kindWords.has(stem)) return 0.5;
  return commonplace.has(stem) || ofAnything.has(stem) ? 0.5 : 1;
}

function subjectsIn(terms: ReadonlyMap<string, number>): ReadonlySet<string> {
  return new Set([...terms.keys()].filter(stem => baseWeightOf(stem) === 1));
}

function namedIn(text: string): QuestionNouns {
  const named = findQuestionNouns(text, stem => ofAnything.has(stem));
  return new Map([...named].filter(([stem]) => baseWeightOf(stem) === 1));
}

function addTerms(terms: Map<string, number>, text: string, factor: number): void {
  for (const stem of termsOf(text)) {
    const weight = baseWeightOf(stem) * factor;
    if (terms.size < MAX_TERMS && (terms.get(stem) ?? 0) < weight) terms.set(stem, weight);
  }
}

/** "e aos sábados?", "e quanto custa ela?": incomplete without the question before. */
function isElliptical(text: string): boolean {
  const words = wordsOf(text);
  const bearing = termsOf(text).filter(stem => !kindWords.has(stem));
  if (bearing.length <= 1) return true;
  const pointsBack = /^(e|mas e|ah e)\b|\b(isso|disso|nisso|ele|ela|eles|elas|dele|dela|nele|nela|la)\b/;
  return bearing.length <= 3 && words.length <= 12 && pointsBack.test(words.join(' '));
}

function nounAfter(text: string, interrogative: RegExp): string | undefined {
  const words = wordsOf(text);
  const at = words.findIndex(word => interrogative.test(word));
  return at < 0 ? undefined : termsOf(words.slice(at + 1, at + 4).join(' '))[0];
}

/** "quantos alunos", "quais as bolsas": the answer must contain this noun, even if it is common. */
function addFocus(terms: Map<string, number>, text: string): void {
  const focus = nounAfter(text, /^(quant[oa]s|quais|qual|que)$/);
  if (focus !== undefined && !kindWords.has(focus) && terms.has(focus)) terms.set(focus, focusWeight);
}

const hasBearing = (text: string) => termsOf(text).length > 0;

/** Two questions in one message are answered separately; the rest of the message is context. */
export function questionTextsOf(message: string): { asked: string[]; background: string } {
  const pieces = message.match(/[^?]+\?*/g)?.map(piece => piece.trim()) ?? [];
  const asked = pieces.filter(piece => piece.endsWith('?') && hasBearing(piece)).slice(-3);
  if (asked.length === 0) return { asked: [message.slice(-MAX_FOCUS_LENGTH)], background: '' };
  const rest = pieces.filter(piece => !asked.includes(piece)).join(' ');
  return {
    asked: asked.map(piece => piece.slice(-MAX_FOCUS_LENGTH)),
    background: rest.slice(-MAX_FOCUS_LENGTH),
  };
}

/** `earlier`: earlier messages of the user, oldest first; used only if the question is incomplete. */
export function questionOf(text: string, background: string, earlier: readonly string[]): Question {
  const terms = new Map<string, number>();
  addTerms(terms, text, 1);
  addFocus(terms, text);
  const meant = findImpliedWords(foldText(text));
  const own = meant === '' ? subjectsIn(terms) : new Set(termsOf(meant));
  addTerms(terms, meant, impliedWeight);
  addTerms(terms, background, backgroundWeight);
  const previous = isElliptical(text) ? earlier.findLast(hasBearing) : undefined;
  let kinds = kindsAskedFor(text);
  if (previous !== undefined) {
    addTerms(terms, previous.slice(-MAX_FOCUS_LENGTH), followUpWeight);
    if (kinds.length === 0) kinds = kindsAskedFor(previous.slice(-MAX_FOCUS_LENGTH));
  }
  // A follow-up question has the subject of the earlier one.
  const subjects = own.size > 0 ? own : subjectsIn(terms);
  const wantsList = /\b(quais|que (documentos|cursos|bolsas|opcoes|formas)|liste|lista)\b/.test(
    foldText(text),
  );
  const asksPermission =
    kinds.includes('procedure') ||
    /\b(posso|pode|podem|podemos|aceitam?|vale|valem|serve|da para|da pra|tem como|consigo)\b/.test(
      foldText(text),
    );
  const asksCondition =
    /\b(precis[ao]|precisamos|exige|exigem|exigid[oa]|obrigatori[oa]|necessari[oa])\b/.test(foldText(text));
  // "posso me matricular com mensalidade atrasada?" mentions money, but asks for yes or no.
  const isYesOrNo =
    (asksPermission || asksCondition) &&
    !/\b(quant[oa]s?|qn?t[oa]s?|qual|quais|quando|que)\b/.test(foldText(text));
  const asksFigure = kinds.some(isFigure) && !isYesOrNo;
  const leaned = previous === undefined ? text : `${previous.slice(-MAX_FOCUS_LENGTH)}. ${text}`;
  const named = namedIn(meant === '' ? leaned : meant);
  return {
    terms,
    subjects,
    named,
    kinds,
    counted: nounAfter(text, /^quant[oa]s$/),
    wantsList,
    asksPermission,
    asksCondition,
    asksFigure,
  };
}
