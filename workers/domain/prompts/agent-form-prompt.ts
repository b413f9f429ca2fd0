import type { FieldError } from '../../../platform/field-error.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { type FormField } from '../schemas/form-answer.ts';
import { isOfType } from '../schemas/front-schema.ts';
import type { PromptMessage } from './prompt.ts';

export interface AgentForm {
  readonly title: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, FormField>>;
}

const MAX_LINE_LENGTH = 2_000;

export function agentFormPromptOf(
  { title, description, fields }: AgentForm,
  instructions: string,
): PromptMessage[] {
  const task = [
    'Você preenche o formulário de um agente de atendimento conforme as instruções recebidas.',
    'Responda somente com JSON no esquema pedido, com um valor para cada campo.',
    'Use apenas o que as instruções dizem; o que elas não disserem fica vazio ou com o valor padrão.',
    `Agente: ${toPromptLine(title)}${description ? ` (${toPromptLine(description)})` : ''}`,
    'Campos:',
    ...Object.entries(fields).map(fieldLineOf),
  ];
  return [
    { role: 'system', content: task.join('\n') },
    { role: 'user', content: instructions },
  ];
}

/** Repeats the rejected answer and requests another one that mends its errors. */
export function repairRequestOf(answer: string, errors: readonly FieldError[]): PromptMessage[] {
  const list = errors.map(({ path, message }) => `- ${path || '/'}: ${message}`);
  const request = ['A resposta não serve:', ...list, 'Responda outra vez, com o JSON inteiro e corrigido.'];
  return [
    { role: 'assistant', content: answer },
    { role: 'user', content: request.join('\n') },
  ];
}

function fieldLineOf([name, { type, description, default: usual }]: [string, FormField]): string {
  const padding = isOfType(type, usual) ? `; padrão: ${toPromptLine(JSON.stringify(usual))}` : '';
  return `- ${toPromptLine(name)} (${type}${padding})${description ? `: ${toPromptLine(description)}` : ''}`;
}

/** A caller's text stays on one line, so that it cannot add lines to the task. */
function toPromptLine(text: string): string {
  return oneLineOf(text, MAX_LINE_LENGTH);
}
