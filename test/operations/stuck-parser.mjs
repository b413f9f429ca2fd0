/** In the place of `workers/knowledge/parser/main.ts`: reads any page, and never ends with a text. */
let kind = '';
let left = 0;
process.on('disconnect', () => process.exit(0));
process.on('message', message => {
  if (message instanceof Uint8Array) left -= message.length;
  else {
    kind = message.request.kind;
    left = message.length;
  }
  if (left > 0) return;
  if (kind !== 'html') {
    process.send({ kind: 'page', done: 1, total: 2 });
    return;
  }
  process.send({ kind: 'part', part: '{"kind":"text-head"}\n{"kind":"text","text":"Texto."}\n' });
  process.send({ kind: 'end' });
});
