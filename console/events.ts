/** Yields the data of server-sent events, parsed as JSON. A lost connection ends them. */
export async function* readEvents({ body }: Response) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = (await reader?.read().catch(() => undefined)) ?? { done: true };
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map(readField));
      // Comments have no data.
      if (fields.has('data'))
        yield { event: fields.get('event') ?? '', data: JSON.parse(fields.get('data') ?? '') };
    }
  }
}

function readField(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}
