import type OpenAI from 'openai';

type ChatMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

export const model = 'offline-extractive';

const library = `## Biblioteca
A biblioteca funciona de segunda a sexta, das 7h30 às 22h. Aos sábados abre das 8h às 14h.
A multa por atraso é de R$ 1,50 por dia.`;

const office = `## Secretaria
O horário da secretaria é das 9h às 20h30. Aos sábados atende das 9h às 12h. O telefone é (31) 3829-4400.`;

export const knowledge: ChatMessage = {
  role: 'system',
  content: `# Conhecimento\n<trecho id="1">\n${library}\n</trecho>\n<trecho id="2">\n${office}\n</trecho>`,
};

const persona: ChatMessage = {
  role: 'system',
  content: 'Você é a Lia, assistente da Universidade Vale do Ipê.',
};

/** The prompt of a turn as the service sends it: persona, knowledge, dialogue. */
export function turn(...said: readonly string[]): ChatMessage[] {
  const dialogue = said.map(
    (content, at): ChatMessage => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }),
  );
  return [persona, knowledge, ...dialogue];
}

export const askHumanHelp: OpenAI.Chat.Completions.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'ask_human_help',
    description: 'Chama uma pessoa da equipe.',
    parameters: {
      type: 'object',
      required: ['reason'],
      additionalProperties: false,
      properties: {
        reason: { type: 'string', enum: ['missing_knowledge', 'customer_request', 'tool_failure'] },
      },
    },
  },
};

export const openTicket: OpenAI.Chat.Completions.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'open_ticket',
    parameters: {
      type: 'object',
      required: ['subject', 'description'],
      additionalProperties: false,
      properties: {
        subject: { type: 'string', maxLength: 60 },
        description: { type: 'string', minLength: 1 },
      },
    },
  },
};
