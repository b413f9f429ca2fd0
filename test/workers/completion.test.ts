import { expect } from 'chai';
import { readAnswer } from '../../workers/model/completion.ts';

const call = (id: unknown, name: string) => ({ id, function: { name, arguments: '{}' } });
const callsOf = (calls: readonly unknown[]) =>
  readAnswer(
    { choices: [{ message: { content: 'Ufa.', tool_calls: calls } }] },
    { mayCall: true, mayBeEmpty: false },
  ).toolCalls;

describe('The tool calls of a provider’s answer', () => {
  it('are no more than 64, the first ones', () => {
    const calls = callsOf(Array.from({ length: 10_000 }, (_, at) => call(`id_${at}`, 'ficha')));
    expect(calls.map(({ id }) => id)).to.deep.equal(Array.from({ length: 64 }, (_, at) => `id_${at}`));
  });

  it('have another id where theirs is longer than 200 characters', () => {
    const ids = callsOf([call('a'.repeat(200), 'ficha'), call('b'.repeat(201), 'ficha')]).map(({ id }) => id);
    expect(ids).to.deep.equal(['a'.repeat(200), 'call_1']);
  });

  it('are left out where their name is longer than 200 characters', () => {
    const calls = callsOf([call('1', 'a'.repeat(400_000)), call('2', 'a'.repeat(200))]);
    expect(calls.map(({ id }) => id)).to.deep.equal(['2']);
  });
});
