import { mock } from 'node:test';
import { expect } from 'chai';
import type { AnswerPiece } from '../../queues/contract/answer-piece.ts';
import { makeAnswerStream } from '../../workers/turns/stream.ts';

describe('the pieces of an answer that a worker sends', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const open = (start = '') => {
    const sent: AnswerPiece[] = [];
    return { sent, stream: makeAnswerStream(piece => sent.push(piece), 1, start) };
  };

  it('are few, however many the model sends, and the first does not wait', () => {
    const { sent, stream } = open();
    stream.begin();
    for (let at = 0; at < 200; at += 1) {
      stream.add('ab');
      mock.timers.tick(1);
    }
    expect(sent[0]).to.deep.equal({ version: 10_000, at: 0, text: 'ab' });
    mock.timers.tick(50);
    // One in 50 ms.
    expect(sent).to.have.length(5);
    expect(sent.map(({ text }) => text).join('')).to.equal('ab'.repeat(200));
    stream.close();
  });

  it('begin a new version at the next call of the model only where it wrote something', () => {
    const { sent, stream } = open('Olá.\n\n');
    stream.begin();
    stream.begin();
    expect(sent).to.deep.equal([{ version: 10_000, at: 0, text: 'Olá.\n\n' }]);
    stream.add('Vou ver.');
    stream.begin();
    stream.close();
    const resent = open('Olá.\n\n');
    resent.stream.begin();
    resent.stream.close();
    expect(resent.sent[0]?.version).to.equal(10_000);
  });

  it('fit in a message of the store', () => {
    const { sent, stream } = open();
    stream.add('é'.repeat(10_000));
    stream.close();
    expect(Math.max(...sent.map(({ text }) => text.length))).to.be.at.most(1_500);
    expect(sent.map(({ text }) => text).join('')).to.equal('é'.repeat(10_000));
  });

  it('never cut a character in half', () => {
    const { sent, stream } = open();
    stream.add(`a${'😀'.repeat(2_000)}`);
    stream.close();
    expect(sent.every(({ text }) => text.isWellFormed())).to.equal(true);
    expect(sent.map(({ text }) => text).join('')).to.equal(`a${'😀'.repeat(2_000)}`);
  });

  it('end with the stream', () => {
    const { sent, stream } = open();
    stream.add('a');
    stream.add('b');
    stream.close();
    mock.timers.tick(80);
    expect(sent).to.have.length(1);
  });
});
