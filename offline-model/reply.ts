import { findAgent } from './agent-call.ts';
import type { ChatRequest, Message, Tool } from './chat-request.ts';
import { answerFromClock } from './clock-answer.ts';
import { digestDialogue } from './dialogue-digest.ts';
import { translateToPortuguese } from './english.ts';
import { extractAnswer } from './extraction/extract-answer.ts';
import { asksForPerson } from './human-request.ts';
import { writeJsonAnswer } from './json-answer.ts';
import { findKnowledge } from './knowledge.ts';
import { answerSmallTalk } from './small-talk.ts';

export type Reply = { kind: 'text'; text: string } | { kind: 'call'; tool: string; args: string };

const HUMAN_HELP_TOOL = 'ask_human_help';

const texts = {
  ticketOpened: 'Pronto, registrei o seu pedido. A equipe vai dar retorno.',
  closed: 'Certo, encerrei este atendimento. Até logo!',
  done: 'Pronto, fiz o que você pediu.',
  failed: 'Não consegui concluir essa ação agora.',
  anythingElse: 'Ainda posso ajudar em alguma coisa?',
  notFound: 'Não encontrei essa informação na base de conhecimento. Se quiser, pergunte com outras palavras.',
  noKnowledge: 'Não encontrei essa informação na base de conhecimento.',
  closest: 'Não encontrei uma resposta exata na base de conhecimento. O mais próximo que ela diz é:',
};

/** Used in this order if the user asks for a person again. */
const handoverTexts = [
  'Certo, avisei a equipe. Uma pessoa vai continuar este atendimento.',
  'A equipe já foi avisada do seu pedido. Assim que alguém estiver livre, responde por aqui.',
  'O seu pedido está na fila da equipe, e esta conversa fica aberta até uma pessoa responder.',
];

const englishTexts = {
  notFound: 'I could not find that in the knowledge base. You may ask in other words, or in Portuguese.',
  found: 'The knowledge base is in Portuguese and says:',
};

const textsByTool: Readonly<Record<string, string>> = {
  open_ticket: texts.ticketOpened,
  close_conversation: texts.closed,
};

/** Characters. A longer result of a tool is data, not a text for people. */
const MAX_QUOTE_LENGTH = 400;

function makeCall(
  tool: Tool,
  messages: readonly Message[],
  presetArgs: Readonly<Record<string, unknown>> = {},
): Reply {
  const lastUser = findLastUserMessage(messages);
  const args = writeJsonAnswer(
    { type: 'object', ...tool.parameters },
    digestDialogue(lastUser ? [lastUser] : messages),
  );
  return { kind: 'call', tool: tool.name, args: JSON.stringify(Object.assign({}, args, presetArgs)) };
}

function findLastUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

/** The result of a tool is quoted where it is a short text for people, not data. */
function answerAfterTool(message: Message, messages: readonly Message[]): string {
  const result = message.text.trim();
  if (/^\W*"?(?:error|erro|failed|falha)\b/i.test(result)) return texts.failed;
  const toolName = messages
    .map(({ toolNamesByCallId }) => toolNamesByCallId.get(message.callId ?? ''))
    .find(name => name !== undefined);
  if (toolName === HUMAN_HELP_TOOL) return chooseHandoverText(messages);
  const fixedText = textsByTool[toolName ?? ''];
  if (fixedText !== undefined) return fixedText;
  const isQuotable = result.length > 0 && result.length <= MAX_QUOTE_LENGTH && /^[^[{<"]/.test(result);
  return isQuotable ? result : texts.done;
}

/** The text after the last one in the dialogue, so that no text is repeated at once. */
function chooseHandoverText(messages: readonly Message[]): string {
  const textIndexes = messages
    .filter(({ role }) => role === 'assistant')
    .map(({ text }) => handoverTexts.indexOf(text));
  const lastIndex = textIndexes.findLast(index => index >= 0) ?? -1;
  return handoverTexts[lastIndex + 1] ?? handoverTexts[1] ?? '';
}

function answerFromKnowledge(
  question: string,
  earlier: readonly string[],
  messages: readonly Message[],
): string {
  const passages = findKnowledge(messages);
  const translated = translateToPortuguese(question);
  if (passages.length === 0) return translated === undefined ? texts.noKnowledge : englishTexts.notFound;
  if (translated !== undefined) {
    const answer = extractAnswer(
      translated,
      passages,
      earlier.map(text => translateToPortuguese(text) ?? text),
    );
    return answer ? `${englishTexts.found}\n\n${answer.text}` : englishTexts.notFound;
  }
  const found = extractAnswer(question, passages, earlier);
  if (!found) return texts.notFound;
  return found.isSure ? found.text : `${texts.closest}\n\n${found.text}`;
}

/** Pure: the same request always gets the same reply. */
export function chooseReply({ messages, tools, mayCallTools, forcedTool, jsonSchema }: ChatRequest): Reply {
  if (forcedTool) return makeCall(forcedTool, messages);
  if (jsonSchema)
    return { kind: 'text', text: JSON.stringify(writeJsonAnswer(jsonSchema, digestDialogue(messages))) };
  const last = messages.at(-1);
  if (last?.role === 'tool' || last?.role === 'function')
    return { kind: 'text', text: answerAfterTool(last, messages) };
  const earlier = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const question = earlier.pop() ?? '';
  const lastUtterance = messages.findLast(({ role }) => role === 'user' || role === 'assistant');
  if (lastUtterance?.role === 'assistant') return { kind: 'text', text: texts.anythingElse };
  const helpTool = mayCallTools ? tools.find(({ name }) => name === HUMAN_HELP_TOOL) : undefined;
  if (helpTool && asksForPerson(question))
    return makeCall(helpTool, messages, { reason: 'customer_request' });
  const agent = mayCallTools ? findAgent(findLastUserMessage(messages), tools) : undefined;
  if (agent) return makeCall(agent, messages);
  const text =
    answerFromClock(question, earlier, messages) ??
    answerSmallTalk(question) ??
    answerFromKnowledge(question, earlier, messages);
  return { kind: 'text', text };
}
