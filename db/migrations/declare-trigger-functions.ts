/**
 * A trigger needs a function that exists. Its body is in db/functions, which the release applies after the migrations, in
 * the same transaction.
 */
export function declareTriggerFunctions(...names: readonly string[]): string {
  return names
    .map(name => `create function ${name}() returns trigger language plpgsql as 'begin return null; end';`)
    .join('\n  ');
}
