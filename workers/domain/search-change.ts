const tables = ['conversations', 'leads', 'tickets'] as const;
const operations = ['INSERT', 'UPDATE', 'DELETE'] as const;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface AnnouncedChange {
  readonly originTable: (typeof tables)[number];
  readonly originId: string;
  readonly operation: (typeof operations)[number];
}

/** The change of a channel message; undefined if it is invalid. */
export function searchChangeOf(payload: string): AnnouncedChange | undefined {
  const event = parseObject(payload);
  const originTable = tables.find(table => table === event['origin_table']);
  const operation = operations.find(name => name === event['operation']);
  const originId = event['origin_id'];
  if (!originTable || !operation || typeof originId !== 'string' || !uuid.test(originId)) return undefined;
  return { originTable, originId, operation };
}

function parseObject(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
