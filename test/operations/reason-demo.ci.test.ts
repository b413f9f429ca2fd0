import { expect } from 'chai';
import { startModelServer } from '../offline-model/with-model-server.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openOwnService } from '../support/service.ts';

/* The demonstration right after its start: its knowledge, its flow, the offline model. */
describe('the demonstration', () => {
  const model = openOnce(startModelServer);
  const service = openOwnService(() => model.settings);
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

  const answerTo = async (question: string) => {
    const { text, data } = await service.ask(question);
    const { askHumanHelp, jsonArray, agentsLog } = data;
    return { question, text, askHumanHelp, jsonArray, agentsLog };
  };
  const answersOf = () => Promise.all(questions.map(answerTo));

  it('answers ordinary questions as if it had no flow, by its knowledge, and calls nobody', async () => {
    const answers = await answersOf();
    expect(answers[0]?.text).to.include('das 8h às 21h');
    expect(answers.filter(each => each.askHumanHelp || each.agentsLog.length > 0)).to.deep.equal([]);
    expect((await answerTo('Quero falar com um atendente')).askHumanHelp).to.equal(true);
    const lead = await answerTo('Meu nome é Ana Souza e quero me inscrever no curso de Direito');
    const [interest, ...others]: Fields[] = lead.jsonArray;
    expect(others).to.deep.equal([]);
    expect(interest).to.include({ agentName: 'registrar_interesse', schemaName: 'interesse' });
    expect(interest?.['data']).to.include({ nome: 'Ana Souza', curso: 'Direito' });
    expect(lead.agentsLog[0]).to.include({ step: 1, status: 'done' });
    expect(await service.db('flows').update({ active: false })).to.equal(1);
    expect(await answersOf()).to.deep.equal(answers);
  });
});
