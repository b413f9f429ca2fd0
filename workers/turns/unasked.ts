import { asksForPerson } from '../../text/answers/asks-for-person.ts';
import { findAnswer } from '../../text/answers/find-answer.ts';
import { answerFromClock, smallTalkOf } from '../../text/answers/small-talk.ts';
import { spokenWordsOf } from '../domain/asks/talk.ts';
import { clockLineOf } from '../domain/prompts/clock-line.ts';
import { languageTextsOf } from '../domain/prompts/language-texts.ts';
import { isOpenQuestion } from '../domain/prompts/prompt.ts';
import { quoteTextsOf } from '../domain/prompts/quote-texts.ts';
import { approvedAnswerOf } from './approved.ts';
import { SILENCE } from './ask.ts';
import { frameAnswer } from './frame-answer.ts';
import { type AskedModel, type Effects, NO_EFFECTS, type ReadTurn } from './turn.ts';

/* The answers of turns for which no model is asked. */

/** The question was not heard, so there is nothing to ask the model. */
const NOT_ASKED: AskedModel = { ...SILENCE, answer: undefined };
/** Stands in the receipt for the name of a model. */
const QUOTE = 'quote';

/** Undefined where a model is to be asked. */
export function unaskedAnswerOf(turn: ReadTurn): AskedModel | undefined {
  if (turn.conversation.attended) return SILENCE;
  if (turn.unheard) return NOT_ASKED;
  return approvedAnswerOf(turn) ?? flowAnswerOf(turn) ?? quotedAnswerOf(turn);
}

/** What the flow says is the whole answer where the person answered its question, and no step before the next needs a model. */
function flowAnswerOf(turn: ReadTurn): AskedModel | undefined {
  if (turn.flowState?.asks?.needsModel !== false) return undefined;
  return answerOf(turn, '', '');
}

/** The sentences of the passages that answer; where nothing does, the sentence that says so. */
function quotedAnswerOf(turn: ReadTurn): AskedModel | undefined {
  const { avatar, flowState, input, dialogue } = turn;
  if (avatar.answer_mode !== 'quote') return undefined;
  const texts = quoteTextsOf(avatar.language);
  const ofPerson = dialogue.filter(({ role }) => role === 'user');
  const textsOf = (isOpen: boolean) =>
    ofPerson.filter(item => isOpenQuestion(item) === isOpen).map(({ content }) => spokenWordsOf(content));
  const question = spokenWordsOf(flowState?.chosen?.title ?? input.question ?? '');
  const questions = [...textsOf(true), question].filter(text => text !== '');
  if (questions.some(asksForPerson)) {
    const handover = { by: 'person', reason: 'customer_request' } as const;
    return answerOf(turn, texts.handedOver, QUOTE, { ...NO_EFFECTS, handover });
  }
  if (questions.length === 0) return answerOf(turn, texts.resume, QUOTE);
  const replies = questions.flatMap(each => replyTo(turn, each, textsOf(false)) ?? []);
  const text = [...new Set(replies)].join('\n\n') || languageTextsOf(avatar.language).notFound;
  // What the flow says greets, too.
  const isGreeted = text === texts.greeting && frameAnswer(turn, '').trim() !== '';
  return answerOf(turn, isGreeted ? '' : text, QUOTE);
}

function replyTo(
  { avatar, chunks, fullMatch, clock }: ReadTurn,
  question: string,
  earlier: readonly string[],
): string | undefined {
  const smallTalk = smallTalkOf(question);
  if (smallTalk) return quoteTextsOf(avatar.language)[smallTalk];
  const passages = chunks.map(({ body, score }) => ({ text: body, relevance: score / (fullMatch || 1) }));
  return answerFromClock(question, earlier, clockLineOf(clock)) ?? findAnswer(question, passages, earlier);
}

function answerOf(turn: ReadTurn, text: string, model: string, effects: Effects = NO_EFFECTS): AskedModel {
  const framed = frameAnswer(turn, text).trimEnd() || quoteTextsOf(turn.avatar.language).noted;
  return { ...SILENCE, answer: { text: framed, model, isTruncated: false }, effects };
}
