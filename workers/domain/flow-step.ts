import type { AskKind } from './asks/read-value.ts';
import type { Choice } from './asks/said-value.ts';

export interface FlowStep {
  readonly type: string;
  readonly content: string;
  readonly description: string;
  readonly canRepeat?: boolean;
  /** Id or name of the team to which a `handoff` hands over. */
  readonly team?: string;
  readonly agents?: readonly { readonly agentName: string; readonly schemaName: string }[];
  readonly name?: string;
  readonly kind?: AskKind;
  readonly choices?: readonly Choice[];
  readonly retries?: number;
  readonly values?: readonly string[];
  readonly goTo?: number | string;
}
