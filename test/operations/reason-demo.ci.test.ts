import { expect } from 'chai';
import { withModelServer } from '../offline-model/with-model-server.ts';
import { type Service, startService } from '../support/service.ts';

/* The demonstration right after its start: its knowledge, its flow, the offline model. */
describe('the demonstration', () => {
  const questions = [
    'Qual é o horário da secretaria?',
    'Como emito a segunda via do boleto?',
    'Que dia vence a mensalidade?',
    'quantos livros posso pegar na biblioteca',
    'Tem desconto para irmãos?',
    'quais documentos preciso para a matrícula?',
    'Quero fazer o vestibular, qual é a taxa de inscrição?',
    'Quanto custa um foguete?',
    'Oi, tudo bem?',
  ];

  const answersOf = async (service: Service) =>
    Promise.all(
      questions.map(async question => {
        const { body } = await service.ask(question);
        const { assistantResponse, askHumanHelp, jsonArray, agentsLog } = body.data;
        return { question, text: assistantResponse.string, askHumanHelp, jsonArray, agentsLog };
      }),
    );

  it('answers ordinary questions as if it had no flow, by its knowledge, and calls nobody', async () => {
    await withModelServer(async ({ url }) => {
      const model = { openaiBaseUrl: `${url}/v1`, openaiModel: 'offline-extractive' };
      const service = await startService(model);
      try {
        const answers = await answersOf(service);
        expect(answers[0]?.text).to.include('das 8h às 21h');
        expect(answers.filter(each => each.askHumanHelp || each.agentsLog.length > 0)).to.deep.equal([]);
        const asked = await service.ask('Quero falar com um atendente');
        expect(asked.body.data.askHumanHelp).to.equal(true);
        const lead = await service.ask('Meu nome é Ana Souza e quero me inscrever no curso de Direito');
        expect(lead.body.data.jsonArray).to.have.length(1);
        expect(lead.body.data.jsonArray[0]).to.include({
          agentName: 'registrar_interesse',
          schemaName: 'interesse',
        });
        expect(lead.body.data.jsonArray[0].data).to.include({ nome: 'Ana Souza', curso: 'Direito' });
        expect(lead.body.data.agentsLog[0]).to.include({ step: 1, status: 'done' });
        expect(await service.db('flows').update({ active: false })).to.equal(1);
        expect(await answersOf(service)).to.deep.equal(answers);
      } finally {
        await service.close();
      }
    });
  });
});
