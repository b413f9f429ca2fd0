import { expect } from 'chai';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { studyChunks } from '../../db/seed/chunks.ts';
import { countTokens, truncateToTokens } from '../../offline-model/completion.ts';

describe('offline model: token counts', () => {
  it('come within a tenth of a real tokenizer on Portuguese prose and Markdown', () => {
    const text = studyChunks.join('\n\n');
    expect(countTokens(text) / encode(text).length).to.be.within(0.9, 1.1);
  });

  it('are nought for nothing and grow with each word', () => {
    expect([countTokens(''), countTokens('um dois três')]).to.deep.equal([0, 3]);
  });

  it('cut a text to a beginning of it that has no more', () => {
    const text = studyChunks[0] ?? '';
    for (const most of [1, 7, 50, 100_000]) {
      const cut = truncateToTokens(text, most);
      expect(text.startsWith(cut)).to.equal(true);
      expect(countTokens(cut)).to.be.at.most(most);
    }
    expect(truncateToTokens(text, 100_000)).to.equal(text);
  });
});
