import { askWhileGenerated, createConversation, type Host } from '../../service.ts';
import { type Message, TRIAL_PLATFORM } from './conversation.ts';

/** The assistant gets at most this many messages of the dialogue. */
const MAX_MESSAGES = 40;

/** Whether there is a question that the assistant could answer. */
export const hasQuestion = (messages: readonly Message[]): boolean =>
  messages.some(({ author, content }) => author === 'user' && content !== '');

export interface Suggestion {
  readonly text: string;
  /** Whether passages of the knowledge support it. */
  readonly hasSource: boolean;
}

/** Asks the assistant for an answer to the last question: a rehearsal in a new conversation, which no report counts. */
export async function suggestAnswer(host: Host, messages: readonly Message[]): Promise<Suggestion> {
  const last = messages.findLastIndex(({ author }) => author === 'user');
  const dialogue = messages.slice(0, last + 1).filter(({ content }) => content !== '');
  // No model reads a note.
  const originalDialogue = dialogue
    .slice(-MAX_MESSAGES)
    .flatMap(({ author, content }) => (author === 'note' ? [] : [{ role: author, content }]));
  const conversationId = await createConversation(host, TRIAL_PLATFORM);
  const reasoningConfig = { rehearsal: true };
  const body = { hostId: host.host_id, conversationId, originalDialogue, reasoningConfig };
  const turn = await askWhileGenerated(body, {}, () => undefined);
  const text = turn.assistantResponse.wppParsed.map(describeItem).join('\n\n');
  return { text, hasSource: turn.sources.length > 0 };
}

function describeItem({ type, content, url, description }: Message['wppParsed'][number]): string {
  if (type === 'text' || !url) return content;
  return description ? `${description}: ${url}` : url;
}
