interface AuditedTable {
  /** The columns that name a row in its host. */
  readonly key?: string;
  /** Columns that are secret, derived from others, or say only who wrote and when. */
  readonly omitted?: string;
  /** Columns with JSON objects of which only the names are shown, and of addresses the origin. */
  readonly masked?: string;
}

/** Each changed row of the table gives an audit row; several names are separated by commas. */
export function auditedTable(table: string, { key = 'id', omitted = '', masked = '' }: AuditedTable): string {
  return `create trigger note_change after insert or update or delete on ${table}
    for each row execute function note_change('${key}', '${omitted}', '${masked}');`;
}
