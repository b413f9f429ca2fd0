import { expect } from 'chai';
import type { Message } from '../../offline-model/chat-request.ts';
import { confirmedCall, tellAnswer } from '../../offline-model/outside-call.ts';
import { formatAsk, formatKnownCalls } from '../../workers/domain/prompts/confirmation-texts.ts';

const TOOL = 'financeiro__segunda_via';
const ARGS = '{"boleto":"7","cpf":"529.982.247-25"}';
const tools = [{ name: TOOL, description: '', parameters: {} }];
const message = (role: Message['role'], text: string): Message => ({
  role,
  text,
  toolNamesByCallId: new Map(),
  callId: undefined,
});

describe('a call of another system, offline', () => {
  it('tells its answer by the names of the values, and keeps to itself what is long or of an agent', () => {
    const answer = '{"boletos": [{"valor": "R$ 10", "linha_digitavel": "1"}, {"valor": null}], "total": 2}';
    expect(tellAnswer(TOOL, answer)).to.equal('total: 2\nvalor: R$ 10, linha digitavel: 1');
    for (const [tool, text] of [
      ['segunda_via_boleto', answer],
      [TOOL, 'Vence amanhã.'],
      [TOOL, `{"a": "${'x'.repeat(700)}"}`],
      [TOOL, '{"cut": '],
    ] as const)
      expect(tellAnswer(tool, text), text).to.equal(undefined);
  });

  it('asks before what needs a yes, with its arguments, in words for a person', () => {
    expect(tellAnswer(TOOL, formatAsk(ARGS))).to.equal(
      'Posso fazer isto com estes dados: boleto: 7, cpf: 529.982.247-25? Responda sim para confirmar.',
    );
  });

  it('is made with the same arguments after a yes, and after nothing else', () => {
    const waiting = formatKnownCalls({
      waiting: [{ tool: TOOL, arguments: ARGS }],
      called: [],
      answered: [],
    });
    const after = (said: string, prompt = waiting, offered = tools) =>
      confirmedCall([message('system', `Você é a Lia.\n\n${prompt}`), message('user', said)], offered);
    for (const yes of ['Sim.', 'sim, por favor', 'Pode fazer!', 'confirmo'])
      expect(after(yes), yes).to.deep.equal({ kind: 'call', tool: TOOL, args: ARGS });
    for (const other of ['Não.', 'Simulado do vestibular', 'Sim? Por quê?', 'E o horário?'])
      expect(after(other), other).to.equal(undefined);
    expect(after('Sim.', '')).to.equal(undefined);
    expect(after('Sim.', waiting, [])).to.equal(undefined);
  });
});
