/* Texts for the model about an agent that it may call. */

import { WHEN_TO_CALL } from './flow-texts.ts';
import { errorTextOf } from './tool-texts.ts';

export const AGENT_DONE = 'Pronto, os dados foram registrados.';
export const ALREADY_DONE = errorTextOf('isto já foi feito, e só se faz uma vez');
export const NO_MORE_CALLS = errorTextOf('esta função não pode mais ser chamada');

export function agentDescription(description: string, conditions: readonly string[]): string {
  return [description, ...conditions.map(condition => `${WHEN_TO_CALL}: ${condition}`)].join('\n');
}

export function rejectedArgumentsText(problems: string, mayRetry: boolean): string {
  const advice = mayRetry ? 'Corrija e chame de novo, uma única vez.' : 'Não chame esta função de novo.';
  return `${errorTextOf(`os argumentos não servem: ${problems}`)} ${advice}`;
}
