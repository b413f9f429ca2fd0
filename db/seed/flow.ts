import type { NewFlow } from '../assistants/flows.ts';

/** The flow of the demonstration host. It has no messages of its own. */
export const demoFlow: Pick<NewFlow, 'decisionName' | 'chainJson' | 'promptTemplateName'> = {
  decisionName: 'Atendimento da universidade',
  promptTemplateName: 'atendimento',
  chainJson: [
    {
      type: 'notification-conversation',
      description: 'Responder antes de perguntar',
      content:
        'Responda primeiro ao que a pessoa perguntou. Peça dados somente quando ela quiser se inscrever ou pedir um boleto, e peça um de cada vez.',
    },
    {
      type: 'notification-trigger',
      description: 'Registrar o interesse em um curso',
      content:
        'A pessoa quer se inscrever, se matricular ou receber um retorno sobre um curso, e já disse o seu nome e o curso.',
      canRepeat: false,
      agents: [{ agentName: 'registrar_interesse', schemaName: 'interesse' }],
    },
    {
      type: 'notification-trigger',
      description: 'Pedir a segunda via do boleto',
      content: 'A pessoa pede que lhe enviem a segunda via de um boleto, e já informou o CPF.',
      agents: [{ agentName: 'segunda_via_boleto', schemaName: 'boleto' }],
    },
    {
      type: 'notification-conversation',
      description: 'Cuidar dos dados',
      content:
        'Nunca escreva linhas digitáveis, códigos Pix ou números de documento que não tenha recebido, e não repita o CPF inteiro.',
    },
    {
      type: 'handoff',
      description: 'Passar a conversa para uma pessoa da equipe',
      content:
        'A pessoa reclama do atendimento, contesta uma cobrança ou insiste no mesmo pedido depois de duas respostas que não resolveram.',
    },
  ],
};
