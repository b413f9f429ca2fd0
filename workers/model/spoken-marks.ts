/*
 * Serving programs leave marks in the text of an answer: calls that they did not recognize, the end, behind which a model may go on in
 * the name of others, and citations, which lead nowhere for a person. A mark in back-quotes is quoted.
 */

/** A mark, or what quotes one. Its first character is looked for first, so each of the others is read once. */
const TOKEN =
  /<[\w/|｜][^<>\n`]{0,79}>|\[[^\s[\]`][^[\]\n`]{0,19}\]|(`{1,2})[^`\n]{1,80}\1|【[^【】\n]{1,200}】|\uE200[^\uE200\uE201\n]{0,800}\uE201|[\uE201-\uE206]|\uE200(?=\uE200)|:contentReference\[[^[\]\n]{1,40}\]\{[^{}\n]{0,40}\}/y;
/** Matches an end of the text that may still become a token. */
const BEGUN =
  /<(?:[\w/|｜][^<>\n`]{0,79})?$|\[(?:[^\s[\]`][^[\]\n`]{0,19})?$|`{1,2}(?:[^`\n]{1,80}`?)?$|【[^【】\n]{0,200}$|\uE200[^\uE200\uE201\n]{0,800}$|:(?:[a-zA-Z]{1,16}(?:\[[^[\]\n]{0,40}(?:\](?:\{[^{}\n]{0,40})?)?)?)?$/y;
const FIRST = /[<[`【\uE200-\uE206:]/g;

/** Of a file or page: `【4:0†source】`, between characters for private use, and as other assistants write them. */
const CITATION =
  /^(?:【(?:[^】†]*†[^】]*|\d{1,3}(?::\d{1,3})?)】|[\uE200-\uE206][^]*|:contentReference.*|\[(?:citation|oaicite):\d{1,3}\]|\[\^\d{1,3}\^\])$/;

/** Whatever stands between bars, such as `<|im_end|>`; those that begin calls stand at the end, too. */
const END =
  /^<(?:[|｜]\/?\w[\w▁/.:|｜-]{0,60}|\w[\w▁]{0,40}[|｜]|\/s|eos(?:_token)?|(?:end|start)_of_(?:turn|text)|(?:start|end)_function_call)>$|^\[(?:(?:AVAILABLE_|END_)?TOOL_(?:CALLS?|RESULTS?|REQUEST)|\/?INST|EOS)\]$/i;
const NAMES = String.raw`(?:[a-z]{1,20}[:_])?(?:tool_?calls?|function_?calls?|tool_use|function|invoke|parameter|\w{1,40}__\w{1,40})`;
/** A function or parameter without a name is none. */
const CALL = new RegExp(`^<(?!(?:function|invoke|parameter)>)(${NAMES})(?=[=>]|\\s)`, 'i');
const CALL_END = new RegExp(`^</${NAMES}>$`, 'i');
/** No token is longer. */
const LONGEST_CALL_END = 90;

/** Passes on the pieces of a text without calls, up to its end. A possible mark is held back until it is complete or the last. */
export function makeMarkFilter(): (piece: string, isLast?: boolean) => string {
  let held = '';
  let state: 'speaking' | 'ended' | RegExp = 'speaking';
  /** Text between `<s>` and `</s>` is struck through: there the latter is no end. */
  let isStruck = false;

  function skipCall(end: RegExp): boolean {
    const found = end.exec(held);
    held = found ? held.slice(found.index + found[0].length) : held.slice(-LONGEST_CALL_END);
    if (found) state = 'speaking';
    return found !== null;
  }

  function take(token: string): boolean {
    const name = token.toLowerCase();
    const wasStruck = isStruck;
    if (name === '<s>' || name === '</s>') isStruck = name === '<s>';
    if (name === '</s>' && wasStruck) return true;
    const [, call] = CALL.exec(token) ?? [];
    if (END.test(token)) state = 'ended';
    else if (call !== undefined) state = new RegExp(`</${call}>`, 'i');
    else return !CALL_END.test(token) && !CITATION.test(token);
    return false;
  }

  /** Returns the text up to the next call, and the end of it. */
  function speak(isLast: boolean): string {
    let spoken = '';
    let from = 0;
    for (let at = 0; ; ) {
      FIRST.lastIndex = at;
      at = FIRST.exec(held)?.index ?? held.length;
      TOKEN.lastIndex = at;
      BEGUN.lastIndex = at;
      const token = TOKEN.exec(held)?.[0];
      const isHeld = token === undefined && !isLast && BEGUN.test(held);
      if (at === held.length || isHeld) {
        spoken += held.slice(from, at);
        held = held.slice(at);
        return spoken;
      }
      if (token === undefined || take(token)) at += token?.length ?? 1;
      else {
        spoken += held.slice(from, at);
        from = at += token.length;
        // A whole text loses the blank before it, too; of a stream that may be said already.
        if (isLast && spoken.endsWith(' ') && !/[^\s.,;:!?)]/.test(held.charAt(from)))
          spoken = spoken.slice(0, -1);
        if (state === 'speaking') continue;
        held = held.slice(at);
        return spoken;
      }
    }
  }

  return (piece, isLast = false) => {
    held += piece;
    let spoken = '';
    while (state !== 'ended') {
      if (state !== 'speaking' && !skipCall(state)) return spoken;
      spoken += speak(isLast);
      if (state === 'speaking') return spoken;
    }
    held = '';
    return spoken;
  };
}
