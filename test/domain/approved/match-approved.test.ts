import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { matchApproved } from '../../../workers/domain/approved/match-approved.ts';

/* The file has approved questions (`#`), each with what people write for it (`+`), and what only looks like it (`-`). */

interface Approved {
  readonly id: string;
  readonly questions: string[];
  readonly same: string[];
  readonly other: string[];
}

const approved: Approved[] = [];
for (const line of readFileSync(new URL('questions.txt', import.meta.url), 'utf8').split('\n')) {
  const text = line.slice(2);
  if (line.startsWith('# ')) approved.push({ id: text, questions: [text], same: [], other: [] });
  if (line.startsWith('+ ')) approved.at(-1)?.same.push(text);
  if (line.startsWith('- ')) approved.at(-1)?.other.push(text);
}

describe('approved answers', () => {
  it('are given to none of 300 questions that only look like theirs', () => {
    const near = approved.flatMap(each => each.other);
    const taken = approved.flatMap(each =>
      each.other.filter(question => matchApproved(question, [each]) || matchApproved(question, approved)),
    );
    expect(near.length).to.be.at.least(300);
    expect(taken).to.deep.equal([]);
  });

  it('are given to nine of ten questions that say theirs in other words', () => {
    const missed = approved.flatMap(each =>
      each.same.filter(question => matchApproved(question, approved)?.id !== each.id),
    );
    const asked = approved.flatMap(each => each.same).length;
    expect(missed.length, missed.join('\n')).to.be.at.most(asked / 10);
  });

  it('are given to their own questions', () => {
    const missed = approved.filter(each => matchApproved(each.id, approved) !== each).map(({ id }) => id);
    expect(missed).to.deep.equal([]);
  });
});
