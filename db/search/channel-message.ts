import { isJsonObject, type JsonObject } from '../../platform/json-object.ts';
import { isUuid } from '../../platform/uuid.ts';
import { type SearchChange, searchOperations } from './outbox.ts';
import { searchTables } from './records.ts';

/** The message of a change on the search channel. */
export function channelMessageOf({ originTable, originId, operation }: SearchChange): string {
  return JSON.stringify({ origin_table: originTable, origin_id: originId, operation });
}

/** The change of a message; undefined if it is invalid. */
export function searchChangeOf(message: string): SearchChange | undefined {
  const fields = parseObject(message);
  const originTable = searchTables.find(table => table === fields['origin_table']);
  const operation = searchOperations.find(name => name === fields['operation']);
  const originId = fields['origin_id'];
  if (!originTable || !operation || typeof originId !== 'string' || !isUuid(originId)) return undefined;
  return { originTable, originId, operation };
}

function parseObject(message: string): JsonObject {
  try {
    const value: unknown = JSON.parse(message);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
