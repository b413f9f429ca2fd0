import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { linkSignals } from '../../platform/link-signals.ts';
import { isCollected } from '../support/is-collected.ts';

describe('linked signals', () => {
  it('end with the first of their sources, for its reason', () => {
    const sources = [new AbortController(), new AbortController()] as const;
    using linked = linkSignals(sources[0].signal, sources[1].signal);
    expect(linked.signal.aborted).to.equal(false);
    sources[1].abort('second');
    sources[0].abort('first');
    expect(linked.signal.reason).to.equal('second');
  });

  it('have ended where a source has', () => {
    using linked = linkSignals(new AbortController().signal, AbortSignal.abort('before'));
    expect(linked.signal.reason).to.equal('before');
  });

  it('leave nothing behind at their sources', () => {
    const source = new AbortController();
    const linked = linkSignals(source.signal);
    linked[Symbol.dispose]();
    expect(getEventListeners(source.signal, 'abort')).to.deep.equal([]);
    source.abort();
    expect(linked.signal.aborted).to.equal(false);
  });

  it('may be many of one source, without a warning', async () => {
    const warned: string[] = [];
    const note = ({ name }: Error) => warned.push(name);
    process.on('warning', note);
    const source = new AbortController();
    const linked = Array.from({ length: 30 }, () => linkSignals(source.signal));
    await new Promise(setImmediate);
    process.off('warning', note);
    expect([linked.length, ...warned]).to.deep.equal([30]);
  });

  it('are freed with the listeners that are left at them', async () => {
    const source = new AbortController();
    const leave = () => {
      using linked = linkSignals(source.signal);
      linked.signal.addEventListener('abort', () => {});
      return new WeakRef(linked.signal);
    };
    expect(await isCollected(leave())).to.equal(true);
  });
});
