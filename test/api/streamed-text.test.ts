import { expect } from 'chai';
import fc from 'fast-check';
import { StreamedText, type TextChange, TranscriptText } from '../../api/replies/stream-answer.ts';
import type { AnswerPiece, TranscriptPiece } from '../../queues/contract/answer-piece.ts';

function apply(shown: string, change: TextChange | undefined): string {
  if (!change) return shown;
  return change.kind === 'replace' ? change.text : shown + change.text;
}

/** The pieces of a text, as a worker sends them. */
const piecesOf = (version: number) =>
  fc
    .array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 6 })
    .map(texts =>
      texts.map((text, at): AnswerPiece => ({ version, at: texts.slice(0, at).join('').length, text })),
    );

/** The pieces are of several versions: lost, doubled and in any order. */
const receivedPieces = fc
  .tuple(piecesOf(1), piecesOf(2), piecesOf(10_001))
  .chain(versions =>
    fc.array(fc.constantFrom(...versions.flat(), { version: 1, at: 0, text: 'a' }), { maxLength: 30 }),
  );

describe('the text of an answer, from its pieces', () => {
  it('is at the end what the reply says, whatever became of the pieces', () => {
    fc.assert(
      fc.property(
        receivedPieces,
        fc.string({ maxLength: 12 }),
        fc.array(fc.boolean()),
        (pieces, answer, reads) => {
          const text = new StreamedText();
          let shown = '';
          for (const [at, piece] of pieces.entries()) {
            text.add(piece);
            if (reads[at]) shown = apply(shown, text.takeChange());
          }
          text.end(answer);
          shown = apply(shown, text.takeChange());
          expect(shown).to.equal(answer);
          expect(text.takeChange()).to.equal(undefined);
        },
      ),
    );
  });

  it('grows by deltas alone while its pieces join on', () => {
    fc.assert(
      fc.property(piecesOf(1), fc.string(), fc.array(fc.boolean()), (pieces, rest, reads) => {
        const text = new StreamedText();
        const changes: TextChange[] = [];
        const take = () => changes.push(...[text.takeChange() ?? []].flat());
        for (const [at, piece] of pieces.entries()) {
          text.add(piece);
          // One that comes twice, or of an older version, changes nothing.
          text.add(piece);
          text.add({ version: 0, at: 0, text: 'old' });
          if (reads[at]) take();
        }
        const answer = pieces.map(piece => piece.text).join('') + rest;
        text.end(answer);
        take();
        expect(changes.map(({ kind }) => kind)).to.not.include('replace');
        expect(changes.map(change => change.text).join('')).to.equal(answer);
      }),
    );
  });

  it('is void from the first piece of a newer version', () => {
    const text = new StreamedText();
    text.add({ version: 1, at: 0, text: 'Vou ver.' });
    expect(text.takeChange()).to.deep.equal({ kind: 'delta', text: 'Vou ver.' });
    text.add({ version: 2, at: 0, text: 'Pronto' });
    text.add({ version: 2, at: 8, text: 'lost' });
    text.add({ version: 1, at: 8, text: 'late' });
    expect(text.takeChange()).to.deep.equal({ kind: 'replace', text: 'Pronto' });
    expect(text.takeChange()).to.equal(undefined);
  });
});

describe('a question that was spoken, from its pieces', () => {
  it('is given once, and whole, whatever became of the pieces', () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });
    const piecesFor = (version: number, parts: string[]): TranscriptPiece[] =>
      parts.map((heard, at) => ({
        version,
        at: parts.slice(0, at).join('').length,
        heard,
        length: parts.join('').length,
      }));
    const received = texts.chain(parts =>
      fc.record({
        question: fc.constant(parts.join('')),
        pieces: fc.array(fc.constantFrom(...piecesFor(1, parts), ...piecesFor(2, parts)), { maxLength: 30 }),
      }),
    );
    fc.assert(
      fc.property(received, ({ question, pieces }) => {
        const text = new TranscriptText();
        const taken: (string | undefined)[] = [];
        for (const piece of pieces) {
          text.add(piece);
          taken.push(text.take());
        }
        text.end(question);
        taken.push(text.take(), text.take());
        expect(taken.filter(given => given !== undefined)).to.deep.equal([question]);
      }),
    );
    const whole = new TranscriptText();
    for (const piece of piecesFor(1, ['Qual ', 'é?'])) whole.add(piece);
    // A slow reader takes it late: another run of the turn may have heard it again.
    for (const piece of piecesFor(2, ['Quais '])) whole.add(piece);
    expect(whole.take()).to.equal('Qual é?');
  });
});
