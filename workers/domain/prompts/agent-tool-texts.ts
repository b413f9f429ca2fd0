/* Texts for the model about an agent that it may call. */

import { WHEN_TO_CALL } from './flow-texts.ts';
import { formatError } from './tool-texts.ts';

export const AGENT_DONE = 'Pronto, os dados foram registrados.';
export const ALREADY_DONE = formatError('isto já foi feito, e só se faz uma vez');
export const NO_MORE_CALLS = formatError('esta função não pode mais ser chamada');

export function describeAgent(description: string, conditions: readonly string[]): string {
  return [description, ...conditions.map(condition => `${WHEN_TO_CALL}: ${condition}`)].join('\n');
}

export function formatRejectedArguments(errors: string, mayRetry: boolean): string {
  const advice = mayRetry ? 'Corrija e chame de novo, uma única vez.' : 'Não chame esta função de novo.';
  return `${formatError(`os argumentos não servem: ${errors}`)} ${advice}`;
}
