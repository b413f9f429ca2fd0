import type { AgentToSet, SchemaToSet } from '../assistants/agents.ts';
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

/** The agents of the demonstration host. */
export const demoSchemas: readonly SchemaToSet[] = [
  {
    schemaName: 'interesse',
    description: 'Interesse de uma pessoa em um curso',
    arguments: {
      type: 'object',
      additionalProperties: false,
      required: ['nome', 'curso'],
      properties: {
        nome: { type: 'string', minLength: 2, description: 'Nome da pessoa interessada' },
        curso: { type: 'string', minLength: 2, description: 'Curso que interessa à pessoa' },
        modalidade: {
          type: 'string',
          enum: ['presencial', 'semipresencial', 'a distância'],
          description: 'Modalidade de ensino preferida',
        },
        telefone: { type: 'string', description: 'Telefone ou WhatsApp com DDD' },
        email: { type: 'string', description: 'E-mail para retorno' },
        observacoes: { type: 'string', description: 'O que mais a pessoa contou que ajude no retorno' },
      },
    },
  },
  {
    schemaName: 'boleto',
    description: 'Pedido de segunda via de boleto',
    arguments: {
      type: 'object',
      additionalProperties: false,
      required: ['cpf'],
      properties: {
        cpf: {
          type: 'string',
          minLength: 11,
          maxLength: 14,
          description: 'CPF de quem estuda, com ou sem pontuação',
        },
        mes: { type: 'integer', minimum: 1, maximum: 12, description: 'Mês da mensalidade, de 1 a 12' },
        canal: { type: 'string', enum: ['whatsapp', 'e-mail'], description: 'Por onde enviar o boleto' },
      },
    },
  },
];

export const demoAgents: readonly AgentToSet[] = [
  {
    agentName: 'registrar_interesse',
    schemaName: 'interesse',
    description:
      'Registra o interesse de uma pessoa em um curso, para que a equipe de matrículas entre em contato. Use quando a pessoa quiser se inscrever, se matricular ou receber um retorno.',
    frontName: 'Registrar interesse',
    lucideIcon: 'user-plus',
  },
  {
    agentName: 'segunda_via_boleto',
    schemaName: 'boleto',
    description:
      'Pede a segunda via do boleto de uma mensalidade. Use quando a pessoa pedir o boleto ou disser que o perdeu ou que ele venceu.',
    frontName: 'Segunda via de boleto',
    lucideIcon: 'receipt',
  },
];
