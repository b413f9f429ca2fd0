type Item = { readonly type?: unknown; readonly [field: string]: unknown };

export interface McpResult {
  readonly content?: readonly Item[] | undefined;
  readonly structuredContent?: unknown;
}

/** Writes a tool's result as text for the model; other content is named. */
export function formatMcpResult({ content = [], structuredContent }: McpResult): string {
  const texts = content.map(textOf).filter(text => text !== '');
  if (texts.length > 0) return texts.join('\n\n');
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent);
}

function textOf(item: Item): string {
  switch (item.type) {
    case undefined:
    case null:
    case 'text':
      return toText(item['text']);
    case 'image':
      return `[imagem ${toText(item['mimeType'])}]`;
    case 'audio':
      return `[áudio ${toText(item['mimeType'])}]`;
    case 'resource_link':
      return `${toText(item['name'])}: ${toText(item['uri'])}`;
    case 'resource':
      return formatResource(item['resource']);
    default:
      return '';
  }
}

function formatResource(resource: unknown): string {
  const { text, uri, mimeType } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  return typeof text === 'string' ? text : `[arquivo ${toText(mimeType)} ${toText(uri)}]`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
