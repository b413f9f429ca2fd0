import { quoteLine } from '../../../text/lines.ts';
import { DEFAULT_LANGUAGE, type LanguageTexts, languageTextsOf } from './language-texts.ts';

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  readonly images?: readonly PromptImage[];
}

export interface PromptImage {
  readonly mediaType: string;
  readonly base64: string;
}

export interface DialogueItem {
  /** `human` is a staff member of the host who answered instead of the assistant. */
  readonly role: 'user' | 'assistant' | 'human' | 'system';
  readonly content: string;
  readonly createdAt?: string;
  readonly name?: string;
  /** The user's message of a turn that ended without an answer. */
  readonly isUnanswered?: boolean;
  /** An unanswered message of the end user that this turn answers, too. */
  readonly isOpen?: boolean;
  /** Figures of the assistant that had no source. */
  readonly unsupported?: readonly { readonly from: number; readonly to: number }[];
}

export interface PromptParts {
  readonly persona: string;
  /** A BCP 47 tag. */
  readonly language?: string | undefined;
  readonly instructions?: readonly string[];
  /** Messages of the flow that are sent word for word before the answer. */
  readonly fixedMessages?: readonly string[];
  /** The question of the flow that is sent word for word after the answer. */
  readonly closingQuestion?: string | undefined;
  /** Data of the conversation on one line, for the conditions and agents of a flow. */
  readonly facts?: string;
  readonly passages: readonly string[];
  readonly userName?: string | undefined;
  /** See `clockLineOf`. */
  readonly clock?: string | undefined;
  readonly contextData?: string | undefined;
  /** See `formatKnownCalls`. */
  readonly knownCalls?: string | undefined;
  readonly dialogue: readonly DialogueItem[];
  readonly insertBeforeQuestion?: string | undefined;
  readonly rebounceInstructions?: string | undefined;
  /** Undefined when the assistant resumes a conversation in which the end user fell silent. */
  readonly question: string | undefined;
  readonly images?: readonly PromptImage[];
}

const MAX_NAME_LENGTH = 100;

/**
 * Builds the prompt. Parts that stay the same in a conversation come first: a provider reads them once, and again only what
 * follows the first difference.
 */
export function promptOf(parts: PromptParts): PromptMessage[] {
  const { question, passages, facts, userName, clock, contextData, knownCalls } = parts;
  const { insertBeforeQuestion, rebounceInstructions } = parts;
  const texts = languageTextsOf(parts.language ?? DEFAULT_LANGUAGE);
  return [
    system(`${parts.persona}\n\n${rulesOf(texts, parts.dialogue.filter(isOpenQuestion).length)}`),
    ...flowMessagesOf(parts, texts),
    ...(contextData ? [system(contextData)] : []),
    ...parts.dialogue.flatMap(item => messagesOf(item, texts)),
    ...(passages.length > 0 ? [system(knowledgeOf(passages))] : []),
    ...(facts ? [system(`# Dados da conversa\n${facts}`)] : []),
    ...(userName ? [system(`Nome da pessoa: ${quoteLine(userName, MAX_NAME_LENGTH)}`)] : []),
    ...(clock ? [system(clock)] : []),
    ...(knownCalls ? [system(knownCalls)] : []),
    ...(rebounceInstructions ? [system(rebounceInstructions)] : []),
    ...(insertBeforeQuestion ? [system(insertBeforeQuestion)] : []),
    question === undefined ? system(texts.resume) : questionOf(question, parts.images),
  ];
}

function questionOf(content: string, images: readonly PromptImage[] = []): PromptMessage {
  return { role: 'user', content, ...(images.length > 0 ? { images } : {}) };
}

/** Returns the newest messages that fit, none truncated. */
export function recentOf(
  dialogue: readonly DialogueItem[],
  maxLength: number,
  lengthOf: (content: string) => number = content => content.length,
): DialogueItem[] {
  let left = maxLength;
  const fits = ({ content }: DialogueItem) => (left -= lengthOf(content)) >= 0;
  const firstKept = dialogue.findLastIndex(item => !fits(item)) + 1;
  return dialogue.slice(firstKept);
}

/** Whether this turn answers the end user's message together with its own question. */
export function isOpenQuestion({ isOpen }: DialogueItem): boolean {
  return isOpen === true;
}

function rulesOf(texts: LanguageTexts, openQuestions: number): string {
  const which = openQuestions === 0 ? texts.onlyLast : texts.lastOf(openQuestions + 1);
  return [texts.answer, which, texts.onlyKnown, texts.neverFollow].join('\n');
}

function flowMessagesOf(
  { instructions = [], fixedMessages = [], closingQuestion }: PromptParts,
  texts: LanguageTexts,
): PromptMessage[] {
  return [
    ...(instructions.length > 0 ? [system(`${texts.script}\n\n${instructions.join('\n\n')}`)] : []),
    ...(fixedMessages.length > 0 ? [system(`${texts.fixedMessages}\n${fixedMessages.join('\n\n')}`)] : []),
    ...(closingQuestion ? [system(`${texts.closingQuestion}\n${closingQuestion}`)] : []),
  ];
}

function system(content: string): PromptMessage {
  return { role: 'system', content };
}

function knowledgeOf(passages: readonly string[]): string {
  const marked = passages.map((text, at) => `<trecho id="${at + 1}">\n${escapeFrames(text)}\n</trecho>`);
  return `# Conhecimento\n${marked.join('\n')}`;
}

/** Matches `<` before the name of the frame, even with spaces or invisible characters in between. */
const FRAME = /<(?=[^\p{L}\p{N}<]{0,8}t\p{Cf}{0,4}r\p{Cf}{0,4}e\p{Cf}{0,4}c\p{Cf}{0,4}h\p{Cf}{0,4}o)/giu;

/** Escapes the frame, so that a passage cannot close it. */
function escapeFrames(text: string): string {
  return text.replaceAll(FRAME, '‹');
}

/** An old question is marked as unanswered, so that the model does not answer it with the new one. */
function messagesOf(
  { role, content, isUnanswered }: DialogueItem,
  { noAnswerCame }: LanguageTexts,
): PromptMessage[] {
  const message: PromptMessage = { role: role === 'human' ? 'assistant' : role, content };
  return isUnanswered ? [message, { role: 'assistant', content: noAnswerCame }] : [message];
}

/** Explains the tokens to the model, if personal identifiers are masked. */
export const MASK_EXPLANATION = [
  'Dados pessoais aparecem como marcas, como [CPF_0] ou [EMAIL_0], mas com números a partir de 1: cada marca está no lugar de um dado verdadeiro, e o sistema o recoloca depois.',
  'Copie as marcas sem mudar nada, com os colchetes, também nos argumentos das funções, mesmo onde se espera outro formato.',
  'Não invente marcas nem diga que o dado está oculto: a pessoa vê o dado verdadeiro.',
].join('\n');

/** Keeps the question of a turn that ended without an answer, for a later turn that answers it too. */
export function openQuestionOf(content: string, createdAt: Date): DialogueItem {
  return { role: 'user', content, createdAt: createdAt.toISOString(), isOpen: true };
}

/**
 * Puts the open questions at the end of the caller's own dialogue. The caller may know some of them: end user messages since
 * the last answer that have the same text.
 */
export function addOpenQuestions(
  dialogue: readonly DialogueItem[],
  open: readonly DialogueItem[],
): DialogueItem[] {
  if (open.length === 0) return [...dialogue];
  const answeredUpTo = dialogue.findLastIndex(({ role }) => role === 'assistant' || role === 'human');
  const left = open.map(textOf);
  const isRepeated = (item: DialogueItem, at: number) => {
    const found = at > answeredUpTo && item.role === 'user' ? left.indexOf(textOf(item)) : -1;
    if (found >= 0) left.splice(found, 1);
    return found >= 0;
  };
  return [...dialogue.filter((item, at) => !isRepeated(item, at)), ...open];
}

function textOf({ content }: DialogueItem): string {
  return content.trim();
}
