import { expect } from 'chai';
import { setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, fail, hold, type ModelScript, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openService } from '../support/service.ts';

const ticket = { subject: 'Boleto', description: 'Quer a segunda via do boleto.' };

describe('what the model calls for in a turn', () => {
  const service = openService();
  const { model } = service;
  const conversation = openConversation(service, withReceipt);

  const ask = (script: ModelScript, more: Fields = {}) => {
    model.script(script);
    return conversation.ask('Oi?', more);
  };
  const tickets = () => service.db('tickets').where('conversation_id', conversation.id);

  it('is offered in every turn as functions of the house', async () => {
    const { requests } = await ask(say('Certo.'));
    const tools = requests[0]?.tools?.map(tool => tool.function.name) ?? [];
    expect(tools).to.include.members(['ask_human_help', 'open_ticket', 'close_conversation']);
    expect(requests[0]?.tool_choice).to.equal(undefined);
  });

  it('hands over to a person, for a reason, until that is cleared', async () => {
    const help = call([['ask_human_help', { reason: 'policy_restriction' }]]);
    const { data, text, receipt, requests } = await ask(rounds(help, say('Já chamei a equipe.')));
    expect([text, data.askHumanHelp]).to.deep.equal(['Já chamei a equipe.', true]);
    expect(receipt.handover).to.deep.equal({ by: 'model', reason: 'policy_restriction' });
    expect(toolResultsIn(requests[1])[0]).to.match(/equipe foi chamada/);
    expect((await ask(say('Sim?'))).data.askHumanHelp).to.equal(true);
    expect((await conversation.row()).ask_human_help).to.equal(true);
  });

  it('is never taken from words alone', async () => {
    const { data } = await ask(say('Vou chamar um atendente: ask_human_help, falar com humano.'));
    expect(data.askHumanHelp).to.equal(false);
  });

  it('opens a ticket, which the answer names and which belongs to the contact', async () => {
    const userData = { name: 'Rui', email: 'rui@u.example' };
    const { data } = await ask(rounds(call([['open_ticket', ticket]]), say('Anotei.')), { userData });
    const [opened, ...others] = await tickets();
    expect(others).to.deep.equal([]);
    expect(data.tickets).to.deep.equal({ ticketId: opened.id, ticketDescription: ticket.description });
    const { subject, description: content } = ticket;
    expect(opened).to.include({ subject, content, contact_id: data.userId });
    expect((await ask(say('Certo.'))).data.tickets).to.deep.equal({ ticketId: '', ticketDescription: '' });
  });

  it('leaves the conversation open where a person is to help', async () => {
    const both = call([['close_conversation'], ['ask_human_help', { reason: 'tool_failure' }]]);
    await ask(rounds(both, say('Um momento.')));
    expect(await conversation.row()).to.include({ closed: false, ask_human_help: true });
  });

  it('is told back to the model call by call, beside what it said, and counted', async () => {
    const both = call([['open_ticket', ticket], ['close_conversation']], 'Um instante.', 10);
    const { data, text, receipt, requests } = await ask(rounds(both, say('Pronto.', 20)));
    expect(requests).to.have.length(2);
    const [called, ...results] = requests[1]?.messages.slice(-3) ?? [];
    expect(called).to.include({ role: 'assistant', content: 'Um instante.' });
    const ids = called?.tool_calls?.map(({ id }) => id);
    expect(results.map(({ role, tool_call_id }) => [role, tool_call_id])).to.deep.equal(
      ids?.map(id => ['tool', id]),
    );
    expect([text, data.tokensControl]).to.deep.equal(['Pronto.', [{ model: 'scripted', tokens: 30 }]]);
    expect(data.restStatus).to.have.length(2);
    expect(receipt.modelCalls.map(({ tokens }: Fields) => tokens)).to.deep.equal([10, 20]);
    for (const each of [...receipt.toolCalls, ...receipt.modelCalls]) {
      expect(new Date(each.startedAt).toISOString()).to.equal(each.startedAt);
      expect(each.durationMs).to.be.a('number').at.least(0);
    }
    const ran = receipt.toolCalls.map(({ name, kind, status, round }: Fields) => [name, kind, status, round]);
    expect(ran).to.deep.equal([
      ['open_ticket', 'built-in', 'done', 1],
      ['close_conversation', 'built-in', 'done', 1],
    ]);
  });

  it('is answered as an error where it is broken, and the turn goes on', async () => {
    const broken = call([
      ['no_such_function', {}],
      ['weird name\n', '{'],
      ['open_ticket', '{"subject":'],
      ['open_ticket', '[]'],
      ['open_ticket', { subject: 'x' }],
      ['ask_human_help', { reason: 'because' }],
      ['close_conversation', 'null'],
    ]);
    const { status, text, receipt, requests } = await ask(rounds(broken, say('Não deu.')));
    expect([status, text]).to.deep.equal([200, 'Não deu.']);
    const told = toolResultsIn(requests[1]);
    expect(told).to.have.length(7);
    for (const each of told) expect(each).to.match(/^Erro: /);
    const fates = receipt.toolCalls.map(({ status: ended }: Fields) => ended);
    expect(fates).to.deep.equal([...Array(4).fill('refused'), 'failed', 'failed', 'refused']);
    const echoed = requests[1]?.messages.flatMap(({ tool_calls = [] }) => tool_calls) ?? [];
    for (const { function: called } of echoed) {
      expect(called.name).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(() => JSON.parse(called.arguments)).to.not.throw();
    }
    expect(await conversation.row()).to.include({ closed: false, ask_human_help: false });
    expect(await tickets()).to.deep.equal([]);
  });

  it('ends after eight rounds in an answer, when the model would go on for ever', async () => {
    const forever: ModelScript = (request, response) =>
      (request.tool_choice === 'none' ? say('Chega.') : call([['no_such_function']]))(request, response);
    const { text, receipt, requests } = await ask(forever);
    expect(text).to.equal('Chega.');
    expect(requests).to.have.length(9);
    expect(receipt.toolCalls).to.have.length(8);
    expect(requests.filter(each => each.tool_choice === 'none')).to.have.length(1);
    expect(requests.at(-1)?.tools).to.not.be.empty;
  });

  it('ends in an answer, too, where the model calls whatever it is offered', async () => {
    const { text, receipt, requests } = await ask((request, response) =>
      (request.tools ? call([['no_such_function']]) : say('Chega.'))(request, response),
    );
    expect(text).to.equal('Chega.');
    expect(receipt.toolCalls).to.have.length(8);
    expect(requests.at(-1)?.tools).to.equal(undefined);
  });

  it('is what it said beside its calls, when it says nothing after them', async () => {
    const help = call([['ask_human_help', { reason: 'customer_request' }]], 'Vou chamar alguém.');
    const { status, text, requests } = await ask(rounds(help, say('')));
    expect([status, text]).to.deep.equal([200, 'Vou chamar alguém.']);
    expect(requests).to.have.length(2);
  });

  it('leaves nothing when the turn ends without an answer', async () => {
    const all = call([
      ['open_ticket', ticket],
      ['close_conversation'],
      ['ask_human_help', { reason: 'tool_failure' }],
    ]);
    const userData = { name: 'Ninguém', email: 'ninguem@u.example' };
    const { status } = await ask(rounds(all, fail(401)), { userData });
    expect([status, await tickets()]).to.deep.equal([503, []]);
    expect(await conversation.row()).to.include({ closed: false, ask_human_help: false });
    expect(await conversation.said()).to.deep.equal(['user: Oi?']);
  });

  it('does not happen when a person has come meanwhile, but stands in the receipt', async () => {
    const held = hold(say('Pronto.'));
    const asked = ask(rounds(call([['open_ticket', ticket], ['close_conversation']]), held.script));
    await held.held;
    await service.demo.inHost(async scope => {
      await setConversation(scope, conversation.id, { askHumanHelp: true });
      const message = { author: 'human', content: 'Aqui é a Bia.' } as const;
      await appendMessage(scope, { conversationId: conversation.id, ...message });
    });
    held.release();
    const { data, text, receipt } = await asked;
    expect([text, data.askHumanHelp]).to.deep.equal(['', true]);
    expect(data.tickets).to.deep.equal({ ticketId: '', ticketDescription: '' });
    expect(await tickets()).to.deep.equal([]);
    expect((await conversation.row()).closed).to.equal(false);
    expect(receipt).to.deep.include({ silenced: true, ticket: null, closes: false });
    expect(receipt.toolCalls).to.have.length(2);
  });

  it('is left out when the provider will not have the functions at all', async () => {
    const picky: ModelScript = (request, response) =>
      (request.tools ? fail(400) : say('Sem funções.'))(request, response);
    const { status, text } = await ask(picky);
    expect([status, text]).to.deep.equal([200, 'Sem funções.']);
  });
});
