import { expect } from 'chai';
import fc from 'fast-check';
import { makeThoughtFilter, spokenTextOf } from '../../workers/model/spoken-text.ts';
import { growthBeyondLinear } from '../support/growth.ts';

const ANSWER = 'Das 8h às 21h.';

/** The words that a model wrote, and the words of them that are said. */
const CASES: readonly (readonly [title: string, written: string, spoken: string])[] = [
  ['thoughts before it', `<think>\nQuer o horário.\n</think>\n\n${ANSWER}`, ANSWER],
  ['thoughts under another tag', `<thinking>Quer.</thinking>${ANSWER}`, ANSWER],
  ['thoughts in brackets', `[THINK]Quer.[/THINK] ${ANSWER}`, ANSWER],
  ['thoughts under its own name', `<reasoning>Quer <think>o</think>.</reasoning>\n${ANSWER}`, ANSWER],
  ['thoughts between triangles', `◁think▷Quer.◁/think▷${ANSWER}`, ANSWER],
  ['a thought with its end', `<|begin_of_thought|>Quer.<|end_of_thought|>\n\n${ANSWER}`, ANSWER],
  [
    'channels',
    `<|channel|>analysis<|message|>Quer.<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}`,
    ANSWER,
  ],
  ['thoughts and a tag around it', `<thinking>Quer.</thinking>\n<answer>\n${ANSWER}\n</answer>`, ANSWER],
  ['brackets that are no thoughts', `[Analysis] ${ANSWER}`, `[Analysis] ${ANSWER}`],
  ['several thoughts', `<think>a</think>\n<THINK>b</THINK>\n${ANSWER}`, ANSWER],
  ['thoughts whose opening tag was swallowed', `Quer o horário.\n</think>\n\n${ANSWER}`, ANSWER],
  ['thoughts that end a line with their tag', `Quer.</think>\n${ANSWER}`, ANSWER],
  ['a tag behind all of it', `${ANSWER}</think>`, ANSWER],
  ['no end of the thoughts', '<think>Quer o horário', ''],
  ['a tag in a sentence', 'A tag <think> abre, e </think> fecha.', 'A tag <think> abre, e </think> fecha.'],
  ['a word that begins like a tag', '<thinker> é um nome', '<thinker> é um nome'],
  ['one fence of Markdown', '```markdown\n## Um\n\n- **dois**\n```', '## Um\n\n- **dois**'],
  ['a fence in a fence', '~~~md\num\n```js\nx\n```\n~~~\n', 'um\n```js\nx\n```'],
  ['thoughts and a fence', '<think>a</think>\n```md\num\n```', 'um'],
  ['a fence of code', '```python\nprint()\n```', '```python\nprint()\n```'],
  ['words behind a fence', '```md\num\n```\ndois', '```md\num\n```\ndois'],
  ['two fences', '```md\num\n```\ne\n```md\ndois\n```', '```md\num\n```\ne\n```md\ndois\n```'],
];

const CALL = '{"name": "busca", "arguments": {"q": "direito"}}';

const quoted = (mark: string) => `A marca \`${mark}\` fica.`;

/** Answers with marks that serving programs left in them. */
// biome-ignore format: a table
const MARKED: typeof CASES = [
  ['a call', `<tool_call>\n${CALL}\n</tool_call>`, ''],
  ['a call without its end', `${ANSWER}\n<tool_call>{"name": "bus`, ANSWER],
  ['a call before it', `<TOOLCALL>[${CALL}]</TOOLCALL>\n${ANSWER}`, ANSWER],
  ['calls in turns', `Um <tool_call>${CALL}</tool_call>e <function_call>${CALL}</function_call>dois.`,
    'Um e dois.'],
  ['a call under its name', '<function=busca>{"q": "direito"}</function>', ''],
  ['a call whose outer tag was swallowed',
    `${ANSWER}\n<function=busca>\n<parameter=q>\ndireito\n</parameter>\n</function>\n</tool_call>`, ANSWER],
  ['a call of a family', '<x:function_calls><x:invoke name="busca"></x:invoke></x:function_calls>', ''],
  ['a call that is invoked', `${ANSWER}<invoke name="busca"><parameter name="q">a</parameter></invoke>`,
    ANSWER],
  ['a list of calls', `${ANSWER}[TOOL_CALLS] [${CALL}]`, ANSWER],
  ['a call between bars', `<｜tool▁calls▁begin｜>busca${CALL}<｜tool▁calls▁end｜>`, ''],
  ['a call of a tool of code', `${ANSWER}<|python_tag|>${CALL}`, ANSWER],
  ['a mark of its end', `${ANSWER}<|im_end|>\n`, ANSWER],
  ['an end of its sequence', `${ANSWER}</s>`, ANSWER],
  ['an end of its turn', `${ANSWER}<end_of_turn>\n<start_of_turn>user\nE no sábado?`, ANSWER],
  ['a question that nobody asked', `${ANSWER}<|im_end|>\n<|im_start|>user\nE no sábado?`, ANSWER],
  ['another question', `${ANSWER}<|eot_id|>Human: e no sábado?`, ANSWER],
  ['an instruction', `${ANSWER} [INST] E no sábado? [/INST]`, ANSWER],
  ['thoughts and an end', `<think>Quer </s>.</think>${ANSWER}</s>`, ANSWER],
  ['the head of its turn', `<|im_start|>assistant\n${ANSWER}<|im_end|>`, ANSWER],
  ['another head of its turn', `<|start_header_id|>assistant<|end_header_id|>\n\n${ANSWER}<|eot_id|>`,
    ANSWER],
  ['the name of its turn', `<|assistant|>${ANSWER}`, ANSWER],
  ["another's turn alone", '<|im_start|>user\nE no sábado?<|im_end|>', ''],
  ['a quoted end', quoted('</s>'), quoted('</s>')],
  ['a quoted call', quoted('<tool_call>'), quoted('<tool_call>')],
  ['a quoted mark between bars', `A marca \`\`<|im_end|>\`\` fica.</s>`, 'A marca ``<|im_end|>`` fica.'],
  ['a quote that does not end', `A marca \`${ANSWER}\n</s>`, `A marca \`${ANSWER}`],
  ['text that is struck through', `De <s>R$ 9</s> por R$ 8.</s>`, 'De <s>R$ 9</s> por R$ 8.'],
  ['citations', 'Das 8h【4:0†manual.pdf】 às 21h 【12†source】.', ANSWER],
  ['a citation by its number', 'Das 8h às 21h【3】.', ANSWER],
  ['citations for private use', 'Das 8h às 21h \uE200cite\uE202turn0search0\uE202turn0file1\uE201.', ANSWER],
  ['a mark for private use alone', `\uE203${ANSWER}\uE204`, ANSWER],
  ['a citation of contents', 'Das 8h :contentReference[oaicite:0]{index=0} às 21h.', ANSWER],
  ['citations of other assistants', 'Das 8h [citation:3] às 21h[^2^].', ANSWER],
  ['brackets of another script', '【Aviso】 Às 21h: 8 :) [^1]', '【Aviso】 Às 21h: 8 :) [^1]'],
  ['a quoted citation', quoted('【4:0†a】'), quoted('【4:0†a】')],
  ['signs that are no marks', 'Se 1 <2> [3](a) <b>x</b> <|> a <- [b', 'Se 1 <2> [3](a) <b>x</b> <|> a <- [b'],
];

describe('what a model says', () => {
  for (const [title, written, spoken] of [...CASES, ...MARKED])
    it(`is ${JSON.stringify(spoken)} with ${title}`, () => {
      expect(spokenTextOf(written)).to.equal(spoken);
    });

  it('is passed on without the thoughts that it begins with, however it is cut into pieces', () => {
    const written = fc.constantFrom(
      ...CASES.map(([, text]) => text).filter(text => !/```|<answer>/.test(text)),
    );
    fc.assert(
      fc.property(written, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (text, lengths) => {
        const filter = makeThoughtFilter();
        let passed = '';
        for (let at = 0, nth = 0; at < text.length; nth += 1) {
          const length = lengths[nth % lengths.length] ?? 1;
          passed += filter(text.slice(at, at + length));
          at += length;
        }
        const isBegunByThoughts = /^(?:<think|\[think|<reas|◁|<\|(?:begin|channel))/i.test(text);
        // Where no tag opens the thoughts, nobody can know of them yet.
        expect(passed.trimEnd()).to.equal(isBegunByThoughts ? spokenTextOf(text).trimEnd() : text.trimEnd());
      }),
    );
  });

  it('is passed on without its marks, however it is cut into pieces', () => {
    for (const [title, written] of MARKED)
      for (const length of [1, 2, 3, 5, 8, 13, 200]) {
        const passed = (written.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [])
          .map(makeThoughtFilter())
          .join('');
        const spoken = spokenTextOf(written);
        // The end of what may become a mark is held back: it comes with the reply.
        if (spoken.endsWith('[b')) expect(spoken).to.equal(`${passed}[b`);
        // A blank before a citation may be said before anybody knows of it.
        else expect(passed.trim().replaceAll(/ (?=[ .])/g, ''), title).to.equal(spoken);
      }
  });

  it('is read once, whatever begins in it', () => {
    for (const begun of [
      ' ',
      '【',
      '\uE200',
      ':a',
      ':contentReference[',
      '<',
      '[',
      '`',
      '`a',
      '<a',
      '<tool_call>',
      '<tool_call></tool_call>',
      '<s></s>',
    ])
      for (const pieceLength of [1, 50_000]) {
        const pass = (text: string) => {
          const filter = makeThoughtFilter();
          for (let at = 0; at < text.length; at += pieceLength) filter(text.slice(at, at + pieceLength));
        };
        const growth = growthBeyondLinear(pass, length => `Oi ${begun.repeat(length / begun.length)}`);
        expect(growth, begun).to.equal(undefined);
      }
  });

  it('is nothing with a call in a fence', () => {
    expect(spokenTextOf(`\`\`\`json\n<tool_call>${CALL}</tool_call>\n\`\`\``)).to.equal('');
  });

  it('is nothing with a call in JSON, in whatever it stands and however it is cut into pieces', () => {
    const calls = [
      CALL,
      `\`\`\`json\n[${CALL}]\n\`\`\``,
      `<tools>\n${CALL}\n</tools>`,
      `{"tool_calls": [${CALL}]}`,
    ];
    for (const call of [...calls, '<srv__busca>{"q": "direito"}</srv__busca>']) {
      expect(spokenTextOf(call), call).to.equal('');
      for (const pieces of [[call], call.split('')])
        expect(pieces.map(makeThoughtFilter()).join(''), call).to.equal('');
    }
    for (const said of ['{"nome": "Ana"}', '[Portal](https://a.br/)', '```js\nx', '{"name": "Ana"}']) {
      expect(spokenTextOf(said)).to.equal(said);
      if (!said.includes('"name"')) expect(said.split('').map(makeThoughtFilter()).join('')).to.equal(said);
    }
  });

  it('has what looks like a mark where it is JSON, up to its end', () => {
    const json = '{"texto": "Escreva <tool_call> ou </s>."}';
    expect(spokenTextOf(`${json}</s>`, true)).to.equal(json);
  });

  it('is the same however it is cut into pieces, and whatever it is', () => {
    const part = fc.constantFrom(
      ...'<think>,</think>,[THINK],[/think],<|channel|>analysis<|message|>,<thought>,</thought>,<th,◁,|>'.split(
        ',',
      ),
      ...' |\n|Oi|İ|\u212A'.split('|'),
      ...'{,"name",[,```,<tools>,'.split(','),
      ...'<tool_call>,</tool_call>,<function=f>,</function>,[TOOL_CALLS],</s>,<s>,`,``,<|,<to,[,],【,†,4】,\uE200,\uE201,:contentReference[a],{i}'.split(
        ',',
      ),
    );
    const pieces = fc.array(
      fc.array(part, { maxLength: 5 }).map(parts => parts.join('')),
      { maxLength: 20 },
    );
    const pass = (texts: readonly string[]) => texts.map(makeThoughtFilter()).join('');
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 9 }), (sent, length) => {
        const whole = sent.join('');
        const cut = whole.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
        for (const each of [sent, cut]) expect(pass(each)).to.equal(pass([whole]));
      }),
    );
  });

  it('is what follows the thoughts, however many there are in one piece', () => {
    expect(makeThoughtFilter()(`${'<think></think>'.repeat(20_000)}${ANSWER}`)).to.equal(ANSWER);
    expect(
      growthBeyondLinear(
        text => makeThoughtFilter()(text),
        length => '<think></think>'.repeat(length / 15),
      ),
    ).to.equal(undefined);
  });

  it('is passed on after many blanks, each a piece, which are read once', () => {
    const pass = (text: string) => {
      const filter = makeThoughtFilter();
      let passed = '';
      for (let at = 0; at < text.length; at += 1) passed += filter(text.charAt(at));
      return passed;
    };
    expect(pass(`\n ${ANSWER}`)).to.equal(`\n ${ANSWER}`);
    expect(growthBeyondLinear(pass, length => ' '.repeat(length))).to.equal(undefined);
  });
});
