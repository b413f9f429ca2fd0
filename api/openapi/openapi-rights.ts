import type { Operation } from '../../queues/contract/operation.ts';

/** The description, and the scope that a token needs. Where the handler checks the scope, the description tells it. */
export function withRights({ description = '', scope, orScope, isForOperators }: Operation): string {
  if (scope === undefined) return description;
  const either = orScope === undefined ? '' : ` or \`${orScope}\``;
  const rights = `Scope: \`${scope}\`${either}${isForOperators ? ', of a token of operators' : ''}.`;
  return description === '' ? rights : `${description}\n\n${rights}`;
}
