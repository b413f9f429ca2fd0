import { findAgent } from './agent-call.ts';
import type { ChatRequest, Message, Tool } from './chat-request.ts';
import { dialogueDigest } from './dialogue-digest.ts';
import { portugueseWordsOf } from './english.ts';
import { extractAnswer } from './extraction/extract-answer.ts';
import { asksForPerson } from './human-request.ts';
import { jsonAnswer } from './json-answer.ts';
import { knowledgeIn } from './knowledge.ts';
import { smallTalkAnswer } from './small-talk.ts';

export type Reply = { kind: 'text'; text: string } | { kind: 'call'; tool: string; args: string };

const humanHelp = 'ask_human_help';

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

/** In this order, for a repeated request for a person. */
const handoverTexts = [
  'Certo, avisei a equipe. Uma pessoa vai continuar este atendimento.',
  'A equipe já foi avisada do seu pedido. Assim que alguém estiver livre, responde por aqui.',
  'O seu pedido está na fila da equipe, e esta conversa fica aberta até uma pessoa responder.',
];

const inEnglish = {
  notFound: 'I could not find that in the knowledge base. You may ask in other words, or in Portuguese.',
  found: 'The knowledge base is in Portuguese and says:',
};

const afterTool: Readonly<Record<string, string>> = {
  open_ticket: texts.ticketOpened,
  close_conversation: texts.closed,
};

const MAX_QUOTE_LENGTH = 400;

function callOf(
  tool: Tool,
  messages: readonly Message[],
  presetArgs: Readonly<Record<string, unknown>> = {},
): Reply {
  const lastUser = lastUserOf(messages);
  const made = jsonAnswer(
    { type: 'object', ...tool.parameters },
    dialogueDigest(lastUser ? [lastUser] : messages),
  );
  return { kind: 'call', tool: tool.name, args: JSON.stringify(Object.assign({}, made, presetArgs)) };
}

function lastUserOf(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

/** The result of a tool is quoted where it is a short text for people, not data. */
function textAfterTool(message: Message, messages: readonly Message[]): string {
  const result = message.text.trim();
  if (/^\W*"?(?:error|erro|failed|falha)\b/i.test(result)) return texts.failed;
  const calls = messages.map(({ calls }) => calls.get(message.callId ?? '')).find(name => name !== undefined);
  if (calls === humanHelp) return chooseHandoverText(messages);
  const known = afterTool[calls ?? ''];
  if (known !== undefined) return known;
  const isQuotable = result.length > 0 && result.length <= MAX_QUOTE_LENGTH && /^[^[{<"]/.test(result);
  return isQuotable ? result : texts.done;
}

/** Does not repeat the last text. */
function chooseHandoverText(messages: readonly Message[]): string {
  const said = messages
    .filter(({ role }) => role === 'assistant')
    .map(({ text }) => handoverTexts.indexOf(text));
  const last = said.findLast(at => at >= 0) ?? -1;
  return handoverTexts[last + 1] ?? handoverTexts[1] ?? '';
}

function textFromKnowledge(
  question: string,
  earlier: readonly string[],
  messages: readonly Message[],
): string {
  const passages = knowledgeIn(messages);
  const translated = portugueseWordsOf(question);
  if (passages.length === 0) return translated === undefined ? texts.noKnowledge : inEnglish.notFound;
  if (translated !== undefined) {
    const answer = extractAnswer(
      translated,
      passages,
      earlier.map(text => portugueseWordsOf(text) ?? text),
    );
    return answer ? `${inEnglish.found}\n\n${answer.text}` : inEnglish.notFound;
  }
  const found = extractAnswer(question, passages, earlier);
  if (!found) return texts.notFound;
  return found.isSure ? found.text : `${texts.closest}\n\n${found.text}`;
}

/** The reply to a request: a pure function. */
export function replyTo({ messages, tools, mayCallTools, forcedTool, jsonSchema }: ChatRequest): Reply {
  if (forcedTool) return callOf(forcedTool, messages);
  if (jsonSchema)
    return { kind: 'text', text: JSON.stringify(jsonAnswer(jsonSchema, dialogueDigest(messages))) };
  const last = messages.at(-1);
  if (last?.role === 'tool' || last?.role === 'function')
    return { kind: 'text', text: textAfterTool(last, messages) };
  const said = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const question = said.pop() ?? '';
  const spoken = messages.findLast(({ role }) => role === 'user' || role === 'assistant');
  if (spoken?.role === 'assistant') return { kind: 'text', text: texts.anythingElse };
  const helper = mayCallTools ? tools.find(({ name }) => name === humanHelp) : undefined;
  if (helper && asksForPerson(question)) return callOf(helper, messages, { reason: 'customer_request' });
  const agent = mayCallTools ? findAgent(lastUserOf(messages), tools) : undefined;
  if (agent) return callOf(agent, messages);
  const text = smallTalkAnswer(question) ?? textFromKnowledge(question, said, messages);
  return { kind: 'text', text };
}
