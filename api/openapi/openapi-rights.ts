import type { Operation } from '../../queues/contract/operation.ts';

/** Adds the required scope to the description. If the handler checks the scope, the description says it already. */
export function withRights({ description = '', scope, orScope, isForOperators }: Operation): string {
  if (scope === undefined) return description;
  const either = orScope === undefined ? '' : ` or \`${orScope}\``;
  const rights = `Scope: \`${scope}\`${either}${isForOperators ? ', of a token of operators' : ''}.`;
  return description === '' ? rights : `${description}\n\n${rights}`;
}
