import type { Message, Tool } from './chat-request.ts';
import { type DialogueDigest, dialogueDigest } from './dialogue-digest.ts';
import { extractTerms, toComparableText } from './extraction/words.ts';
import { findLabelledValue } from './labelled-value.ts';

/** Functions of the service itself, which collect nothing from the user. */
const builtInTools = new Set(['ask_human_help', 'open_ticket', 'close_conversation']);
const MIN_SHARED_WORDS = 2;

/**
 * The function that a message clearly asks for: the message contains each required argument, identifies its author,
 * and shares words with the description. In doubt undefined: an answer from the knowledge is always safe.
 */
export function findAgent(message: Message | undefined, tools: readonly Tool[]): Tool | undefined {
  if (!message) return undefined;
  const digest = dialogueDigest([message]);
  const { name, email, phone, cpf } = digest;
  if (![name, email, phone, cpf].some(Boolean)) return undefined;
  const said = new Set(extractTerms(message.text));
  return tools.find(tool => {
    const required = requiredFieldsOf(tool);
    if (builtInTools.has(tool.name) || required.length === 0) return false;
    const shared = new Set(extractTerms(tool.description).filter(term => said.has(term)));
    return shared.size >= MIN_SHARED_WORDS && required.every(field => isSaid(field, digest));
  });
}

/** The schema of the client is untrusted. */
function requiredFieldsOf({ parameters: { required } }: Tool): string[] {
  return Array.isArray(required) ? required.filter(field => typeof field === 'string') : [];
}

function isSaid(field: string, { text, name, email, phone, cpf }: DialogueDigest): boolean {
  const folded = toComparableText(field);
  if (/mail/.test(folded)) return email !== undefined;
  if (/phone|telefone|celular|whatsapp/.test(folded)) return phone !== undefined;
  if (/(^|_)cpf(_|$)/.test(folded)) return cpf !== undefined;
  if (/(^|_)(name|nome)$/.test(folded) && name !== undefined) return true;
  return findLabelledValue(text, field) !== undefined;
}
