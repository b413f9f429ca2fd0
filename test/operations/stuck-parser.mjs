/** In the place of `workers/knowledge/parser/main.ts`: reads any page, sitemap and CSV, and never ends with a text. */
let kind = '';
let left = 0;
let sent = '';
process.on('disconnect', () => process.exit(0));
process.on('message', message => {
  if (message instanceof Uint8Array) {
    left -= message.length;
    sent += Buffer.from(message).toString();
  } else {
    sent = '';
    kind = message.request.kind;
    left = message.length;
  }
  if (left > 0) return;
  if (kind !== 'html' && kind !== 'csv') {
    process.send({ kind: 'page', done: 1, total: 2 });
    return;
  }
  const pages = [...sent.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => ({ kind: 'page', address }));
  const lines =
    pages.length > 0
      ? [{ kind: 'sitemap-head' }, ...pages]
      : [{ kind: 'text-head' }, { kind: 'text', text: `Texto de ${kind}.` }];
  process.send({ kind: 'part', part: lines.map(line => `${JSON.stringify(line)}\n`).join('') });
  process.send({ kind: 'end' });
});
