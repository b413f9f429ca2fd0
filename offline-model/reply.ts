import { toPortuguese } from '../text/foreign-words.ts';
import { findAgent } from './agent-call.ts';
import type { ChatRequest, Message, Tool } from './chat-request.ts';
import { answerFromClock } from './clock-answer.ts';
import { digestDialogue } from './dialogue-digest.ts';
import { findAnswer } from './find-answer.ts';
import { asksForPerson } from './human-request.ts';
import { writeJsonAnswer } from './json-answer.ts';
import { findKnowledge } from './knowledge.ts';
import { answerSmallTalk } from './small-talk.ts';

export type Reply = { kind: 'text'; text: string } | { kind: 'call'; tool: string; args: string };

const HUMAN_HELP_TOOL = 'ask_human_help';
const OF_TOOLS: Readonly<Record<string, string>> = {
  open_ticket: 'Pronto, registrei o seu pedido. A equipe vai dar retorno.',
  close_conversation: 'Certo, encerrei este atendimento. Até logo!',
};
const DONE = 'Pronto, fiz o que você pediu.';
const FAILED = 'Não consegui concluir essa ação agora.';
const ANYTHING_ELSE = 'Ainda posso ajudar em alguma coisa?';
/** One after the other where a person is asked for again. */
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
/** In characters. A longer result of a tool is data, not a text for people. */
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
  const agent = findAgent(spoken, offered);
  if (agent) return callTo(agent, messages);
  return textReply(
    answerFromClock(question, earlier, messages) ??
      answerSmallTalk(question) ??
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
  return OF_TOOLS[called] ?? (isQuotable ? result : DONE);
}

/** Not the text that was said last. */
function handoverAfter(messages: readonly Message[]): string {
  const said = messages.filter(({ role }) => role === 'assistant').map(({ text }) => HANDOVERS.indexOf(text));
  const last = said.findLast(at => at >= 0) ?? -1;
  return HANDOVERS[last + 1] ?? HANDOVERS[1] ?? '';
}

function answerFromKnowledge(
  question: string,
  earlier: readonly string[],
  messages: readonly Message[],
): string {
  const { notFound, found } = OF_LANGUAGES[toPortuguese(question).language ?? 'pt'];
  const answer = findAnswer(question, findKnowledge(messages), earlier);
  return answer === undefined ? notFound : `${found}${answer}`;
}
