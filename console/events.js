/**
 * The server-sent events of a response, with their data as JSON. A connection that is lost ends them.
 * @param {Response} response
 * @returns {AsyncGenerator<{ event: string, data: any }>}
 */
export async function* readEvents({ body }) {
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

/**
 * @param {string} line
 * @returns {[string, string]}
 */
function readField(line) {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}
