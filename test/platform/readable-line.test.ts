import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';
import { readableLineOf } from '../../platform/readable-line.ts';

describe('a line of the log at a terminal', () => {
  const lines: string[] = [];
  const log = makeLog('worker', 'info', { write: line => void lines.push(line) });
  const shown = () => readableLineOf(lines.pop() ?? '') ?? '';

  it('has process, time, level, message, event and fields', () => {
    log.warn(
      { event: 'setting.unknown', name: 'OPENAI_APIKEY', meant: 'the key', count: 2, list: [1] },
      'nobody reads it',
    );
    expect(shown()).to.match(
      /^worker {2}\| \d\d:\d\d:\d\d WARN {2}nobody reads it \(setting\.unknown\) name=OPENAI_APIKEY meant="the key" count=2$/,
    );
  });

  it('has ids after the other fields', () => {
    log.info({ requestId: 'r-1', status: 200 }, 'done');
    expect(shown()).to.match(/done status=200 requestId=r-1$/);
  });

  it('has the stack of an error, and the message alone of a warning', () => {
    const err = new Error('no route');
    log.error({ err }, 'failed');
    expect(shown().split('\n')[0]).to.match(/ERROR failed error="no route"$/);
    log.error({ err }, 'failed');
    expect(shown().split('\n')[1]).to.match(/^ {4}at /);
    log.warn({ err }, 'failed');
    expect(shown()).to.not.include('\n');
  });

  it('steers no terminal', () => {
    log.info({ reason: '\u001b]0;title\u0007', other: 'a\u009b2J' }, 'said \u001b[2J');
    expect(shown()).to.not.match(/\p{Cc}/u);
  });

  it('is of a log alone', () => {
    for (const text of ['{"listening": 1}', '{', 'PostgreSQL starts', '{"level":30}'])
      expect(readableLineOf(text)).to.equal(undefined);
  });
});
