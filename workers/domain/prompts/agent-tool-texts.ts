/* Texts for the model about an agent that it may call. */

import { WHEN_TO_CALL } from './flow-texts.ts';
import { formatError } from './tool-texts.ts';

export const AGENT_DONE = 'Pronto, os dados foram registrados.';
export const ALREADY_DONE = formatError('isto já foi feito, e só se faz uma vez');
export const NO_MORE_CALLS = formatError('esta função não pode mais ser chamada');

/** A condition of many steps is repeated for each agent of each step: more than this says nothing to a model. */
const MAX_DESCRIPTION_LENGTH = 8_000;

/** The conditions that have room, in their order. */
export function describeAgent(description: string, conditions: readonly string[]): string {
  let text = description.slice(0, MAX_DESCRIPTION_LENGTH);
  for (const condition of conditions) {
    if (text.length >= MAX_DESCRIPTION_LENGTH) break;
    text += `\n${WHEN_TO_CALL}: ${condition.slice(0, MAX_DESCRIPTION_LENGTH - text.length)}`;
  }
  return text.toWellFormed();
}

export function formatRejectedArguments(errors: string, mayRetry: boolean): string {
  const advice = mayRetry ? 'Corrija e chame de novo, uma única vez.' : 'Não chame esta função de novo.';
  return `${formatError(`os argumentos não servem: ${errors}`)} ${advice}`;
}
