import { asksForPerson } from '../text/answers/asks-for-person.ts';
import { findAnswer } from '../text/answers/find-answer.ts';
import { answerFromClock, type SmallTalk, smallTalkOf } from '../text/answers/small-talk.ts';
import { stemsOf } from '../text/answers/statements.ts';
import { toPortuguese } from '../text/foreign-words.ts';
import type { ChatRequest, Message, Tool } from './chat-request.ts';
import { type DialogueDigest, digestDialogue, personalValue } from './dialogue-digest.ts';
import { writeJsonAnswer } from './json-answer.ts';
import { findLabelledValue } from './labelled-value.ts';
import { confirmedCall, tellAnswer } from './outside-call.ts';

export type Reply = { kind: 'text'; text: string } | { kind: 'call'; tool: string; args: string };

const HUMAN_HELP_TOOL = 'ask_human_help';
const OF_TOOLS: Readonly<Record<string, string>> = {
  open_ticket: 'Pronto, registrei o seu pedido. A equipe vai dar retorno.',
  close_conversation: 'Certo, encerrei este atendimento. Até logo!',
};
const DONE = 'Pronto, fiz o que você pediu.';
const FAILED = 'Não consegui concluir essa ação agora.';
const ANYTHING_ELSE = 'Ainda posso ajudar em alguma coisa?';
/** Used in turn if the user asks for a person again. */
const HANDOVERS = [
  'Certo, avisei a equipe. Uma pessoa vai continuar este atendimento.',
  'A equipe já foi avisada do seu pedido. Assim que alguém estiver livre, responde por aqui.',
  'O seu pedido está na fila da equipe, e esta conversa fica aberta até uma pessoa responder.',
];
const OF_LANGUAGES = {
  pt: {
    notFound:
      'Não encontrei essa informação na base de conhecimento. Se quiser, pergunte com outras palavras.',
    found: '',
  },
  en: {
    notFound: 'I could not find that in the knowledge base. You may ask in other words, or in Portuguese.',
    found: 'The knowledge base is in Portuguese and says:\n\n',
  },
  es: {
    notFound: 'No encontré esa información en la base de conocimiento. Puede preguntar con otras palabras.',
    found: 'La base de conocimiento está en portugués y dice:\n\n',
  },
};
const OF_SMALL_TALK: Readonly<Record<SmallTalk, string>> = {
  farewell: 'Até logo! Quando precisar, é só chamar.',
  thanks: 'Por nada! Se precisar de mais alguma coisa, é só perguntar.',
  greeting: 'Olá! Em que posso ajudar?',
  identity:
    'Sou um assistente automático (modelo offline-extractive): respondo com frases da base de conhecimento. O que você quer saber?',
};
/** In characters. A longer tool result is data, not a text for people. */
const MAX_QUOTED = 400;

/** The same request always gets the same reply. */
export function chooseReply({ messages, tools, mayCallTools, forcedTool, jsonSchema }: ChatRequest): Reply {
  if (forcedTool) return callTo(forcedTool, messages);
  if (jsonSchema) return textReply(JSON.stringify(writeJsonAnswer(jsonSchema, digestDialogue(messages))));
  const last = messages.at(-1);
  if (last?.role === 'tool' || last?.role === 'function') return textReply(answerAfterTool(last, messages));
  const spoken = messages.findLast(({ role }) => role === 'user' || role === 'assistant');
  if (spoken?.role === 'assistant') return textReply(ANYTHING_ELSE);
  const earlier = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const question = earlier.pop() ?? '';
  const offered = mayCallTools ? tools : [];
  const helpTool = offered.find(({ name }) => name === HUMAN_HELP_TOOL);
  if (helpTool && asksForPerson(question)) return callTo(helpTool, messages, { reason: 'customer_request' });
  const confirmed = confirmedCall(messages, offered);
  if (confirmed) return confirmed;
  const agent = findAgent(spoken, offered);
  if (agent) return callTo(agent, messages);
  const smallTalk = smallTalkOf(question);
  return textReply(
    answerFromClock(question, earlier, clockIn(messages)) ??
      (smallTalk && OF_SMALL_TALK[smallTalk]) ??
      answerFromKnowledge(question, earlier, messages),
  );
}

function textReply(text: string): Reply {
  return { kind: 'text', text };
}

function callTo(
  tool: Tool,
  messages: readonly Message[],
  known: Readonly<Record<string, unknown>> = {},
): Reply {
  const said = messages.findLast(({ role }) => role === 'user');
  const args = writeJsonAnswer(
    { type: 'object', ...tool.parameters },
    digestDialogue(said ? [said] : messages),
  );
  return { kind: 'call', tool: tool.name, args: JSON.stringify(Object.assign({}, args, known)) };
}

function answerAfterTool({ text, callId = '' }: Message, messages: readonly Message[]): string {
  const result = text.trim();
  if (/^\W*"?(?:error|erro|failed|falha)\b/i.test(result)) return FAILED;
  const called = messages.flatMap(({ toolNamesByCallId }) => toolNamesByCallId.get(callId) ?? [])[0] ?? '';
  if (called === HUMAN_HELP_TOOL) return handoverAfter(messages);
  const isQuotable = result.length > 0 && result.length <= MAX_QUOTED && /^[^[{<"]/.test(result);
  return OF_TOOLS[called] ?? tellAnswer(called, result) ?? (isQuotable ? result : DONE);
}

/** Returns a text that differs from the last one. */
function handoverAfter(messages: readonly Message[]): string {
  const said = messages.filter(({ role }) => role === 'assistant').map(({ text }) => HANDOVERS.indexOf(text));
  const last = said.findLast(at => at >= 0) ?? -1;
  return HANDOVERS[last + 1] ?? HANDOVERS[1] ?? '';
}

/** The line of the prompt that tells the time. */
function clockIn(messages: readonly Message[]): string {
  return messages.findLast(({ role, text }) => role === 'system' && text.startsWith('Agora: '))?.text ?? '';
}

function answerFromKnowledge(
  question: string,
  earlier: readonly string[],
  messages: readonly Message[],
): string {
  const { notFound, found } = OF_LANGUAGES[toPortuguese(question).language ?? 'pt'];
  const passages = findKnowledge(messages).map(text => ({ text }));
  const answer = findAnswer(question, passages, earlier);
  return answer === undefined ? notFound : `${found}${answer}`;
}

/** Functions of the service itself, which collect nothing from the user. */
const builtInTools = new Set(['ask_human_help', 'open_ticket', 'close_conversation']);
/** One shared word is too common: it may be "curso". */
const MIN_SHARED_WORDS = 2;

/**
 * Finds the function that a message clearly asks for: the message contains each required argument, identifies its author, and
 * shares words with the description, more than with any other. Undefined in doubt, because an answer from the knowledge does no harm.
 */
export function findAgent(message: Message | undefined, tools: readonly Tool[]): Tool | undefined {
  if (!message) return undefined;
  const digest = digestDialogue([message]);
  const { name, email, phone, cpf } = digest;
  if (![name, email, phone, cpf].some(Boolean)) return undefined;
  const messageTerms = stemsOf(message.text);
  const sharedWith = ({ description }: Tool) =>
    [...stemsOf(description)].filter(term => messageTerms.has(term)).length;
  const fitting = tools.filter(tool => {
    const required = listRequiredFields(tool);
    if (builtInTools.has(tool.name) || required.length === 0) return false;
    return sharedWith(tool) >= MIN_SHARED_WORDS && required.every(field => hasValueFor(field, digest));
  });
  return fitting.toSorted((one, other) => sharedWith(other) - sharedWith(one))[0];
}

/** The schema comes from the client, so its form is checked. */
function listRequiredFields({ parameters: { required } }: Tool): string[] {
  return Array.isArray(required) ? required.filter(field => typeof field === 'string') : [];
}

function hasValueFor(field: string, digest: DialogueDigest): boolean {
  const [isKnown, value] = personalValue(field, digest);
  return value !== undefined || (!isKnown && findLabelledValue(digest.text, field) !== undefined);
}

const OPENING = '<trecho';
const CLOSING = '</trecho>';

/** Collects the distinct passages that system messages mark, in their order. */
export function findKnowledge(messages: readonly Message[]): string[] {
  const systemTexts = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const passages = systemTexts.flatMap(({ text }) => passagesIn(text));
  return [...new Set(passages.filter(Boolean))];
}

/** Searches forward only, so that unclosed marks take linear time. */
function passagesIn(text: string): string[] {
  const passages: string[] = [];
  let from = text.indexOf(OPENING);
  while (from >= 0) {
    const begin = text.indexOf('>', from);
    const end = begin < 0 ? -1 : text.indexOf(CLOSING, begin);
    if (end < 0) break;
    passages.push(text.slice(begin + 1, end).trim());
    from = text.indexOf(OPENING, end);
  }
  return passages;
}
