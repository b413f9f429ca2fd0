import { expect } from 'chai';
import { demoAgents, demoSchemas } from '../../db/seed/flow.ts';
import type { Message } from '../../offline-model/chat-request.ts';
import { findAgent } from '../../offline-model/reply.ts';

const tools = demoAgents.map(({ agentName: name, schemaName, description = '' }) => ({
  name,
  description,
  parameters: demoSchemas.find(schema => schema.schemaName === schemaName)?.arguments ?? {},
}));
const message = (text: string): Message => ({
  role: 'user',
  text,
  toolNamesByCallId: new Map(),
  callId: undefined,
});
const calledFor = (text: string) => findAgent(message(text), tools)?.name;

describe('an agent, offline', () => {
  it('is called for by a message that tells all that it demands', () => {
    const lead = 'Meu nome é Ana Souza e quero me inscrever no curso de Direito';
    expect(calledFor(lead)).to.equal('registrar_interesse');
    expect(calledFor('Perdi o boleto, meu CPF é 529.982.247-25, me manda a segunda via?')).to.equal(
      'segunda_via_boleto',
    );
  });

  it('is not called for by ordinary questions, nor by data that tell of something else', () => {
    for (const text of [
      'Como emito a segunda via do boleto?',
      'Quero me inscrever no curso de Direito, como faço?',
      'Meu nome é Ana Souza. Qual é o horário da secretaria?',
      'Meu CPF é 529.982.247-25, até quando posso trancar?',
      'Qual o valor do curso de Direito?',
      'Oi, tudo bem?',
      '',
    ])
      expect(calledFor(text), text).to.equal(undefined);
    expect(findAgent(undefined, tools)).to.equal(undefined);
    expect(findAgent(message('Meu nome é Ana, abra um chamado'), [])).to.equal(undefined);
  });
});
