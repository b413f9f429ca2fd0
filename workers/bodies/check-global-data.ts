import { type BrokenRule, broken, errorsAt } from '../../platform/field-error.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { globalDataLimits } from '../../queues/contract/operations/fields.ts';
import { isLongerThan } from '../../text/lines.ts';

/**
 * Returns a failure if the sent `globalData`, together with the conversation's own, exceed the limits: every turn reads all of
 * it.
 */
export function checkGlobalData(sent: JsonObject, stored: JsonObject = {}): Failure | undefined {
  const fields = errorsAt('globalData', excessOf({ ...stored, ...sent }));
  return fields.length === 0 ? undefined : failure('body-invalid', { fields });
}

function excessOf(merged: JsonObject): BrokenRule | undefined {
  const { names, characters } = globalDataLimits;
  if (Object.keys(merged).length > names)
    return broken('max-items', {
      limit: names,
      message: `has more than ${names} names, with those that the conversation keeps`,
    });
  if (isLongerThan(characters, JSON.stringify(merged)))
    return broken('max-length', {
      limit: characters,
      message: `is longer than ${characters} characters of JSON, with what the conversation keeps`,
    });
  return undefined;
}
