import { expect } from 'chai';
import fc from 'fast-check';
import { toolNameOf } from '../../workers/domain/prompts/offered-tool.ts';
import { toolArgumentsOf, truncateForModel } from '../../workers/domain/schemas/known-arguments.ts';

describe('the arguments of a call', () => {
  it('are the JSON object that the model wrote, whatever is in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 5 })), args => {
        const text = JSON.stringify(args);
        fc.pre(!/\\u0000|\\ud/.test(text));
        expect(toolArgumentsOf(text)).to.deep.equal({ args: JSON.parse(text) });
      }),
    );
    expect(toolArgumentsOf('')).to.deep.equal({ args: {} });
  });

  it('are refused in words where they are none', () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const broken = ['{', 'null', '[]', '"x"', '5', "{'a':1}", deep(40), `{"a":${'['.repeat(200_000)}`];
    for (const text of broken) expect(toolArgumentsOf(text), text.slice(0, 20)).to.have.property('error');
    expect(toolArgumentsOf(deep(30))).to.have.property('args');
  });

  it('hold nothing that cannot be stored, in names neither', () => {
    const { args } = toolArgumentsOf('{"a\\u0000":["x\\u0000y","\\ud800"],"__proto__":{"b":1}}') as {
      args: Record<string, unknown>;
    };
    expect(JSON.stringify(args)).to.equal('{"a":["xy","\ufffd"],"__proto__":{"b":1}}');
  });
});

describe('what a tool says', () => {
  it('is told without NUL and half pairs, and no longer than it may be', () => {
    expect(truncateForModel('a\0b\ud800', 100)).to.equal('ab\ufffd');
    expect(truncateForModel('x'.repeat(100), 100)).to.equal('x'.repeat(100));
    const cut = truncateForModel(`${'x'.repeat(9)}😀${'x'.repeat(100)}`, 10);
    expect(cut.isWellFormed()).to.equal(true);
    expect(cut).to.match(/^x{9}\ufffd\n\(cortado\)$/);
  });
});

describe('the name of a function', () => {
  it('is one that models take, near to the one given, and none of those taken', () => {
    expect(toolNameOf('registrar_interesse', () => false)).to.equal('registrar_interesse');
    expect(toolNameOf('Matrícula: pré-inscrição', () => false)).to.equal('Matricula_pre-inscricao');
    expect(toolNameOf('', () => false)).to.equal('function');
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 80 }), { maxLength: 20 }), names => {
        const taken = new Set<string>();
        for (const name of names) {
          const own = toolNameOf(name, tried => taken.has(tried));
          expect(own).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(taken.has(own)).to.equal(false);
          taken.add(own);
        }
      }),
    );
  });
});
