import type { Message, Tool } from './chat-request.ts';
import { type DialogueDigest, digestDialogue, personalValue } from './dialogue-digest.ts';
import { findLabelledValue } from './labelled-value.ts';
import { stemsOf } from './statements.ts';

/** Functions of the service itself, which collect nothing from the user. */
const builtInTools = new Set(['ask_human_help', 'open_ticket', 'close_conversation']);
/** One shared word is too common: it may be "curso". */
const MIN_SHARED_WORDS = 2;

/**
 * The function that a message clearly asks for: the message contains each required argument, identifies its author,
 * and shares words with the description. In doubt undefined, because an answer from the knowledge does no harm.
 */
export function findAgent(message: Message | undefined, tools: readonly Tool[]): Tool | undefined {
  if (!message) return undefined;
  const digest = digestDialogue([message]);
  const { name, email, phone, cpf } = digest;
  if (![name, email, phone, cpf].some(Boolean)) return undefined;
  const messageTerms = stemsOf(message.text);
  return tools.find(tool => {
    const required = listRequiredFields(tool);
    if (builtInTools.has(tool.name) || required.length === 0) return false;
    const sharedTerms = [...stemsOf(tool.description)].filter(term => messageTerms.has(term));
    return sharedTerms.length >= MIN_SHARED_WORDS && required.every(field => hasValueFor(field, digest));
  });
}

/** The schema comes from the client, so its form is checked. */
function listRequiredFields({ parameters: { required } }: Tool): string[] {
  return Array.isArray(required) ? required.filter(field => typeof field === 'string') : [];
}

function hasValueFor(field: string, digest: DialogueDigest): boolean {
  const [isKnown, value] = personalValue(field, digest);
  return value !== undefined || (!isKnown && findLabelledValue(digest.text, field) !== undefined);
}
