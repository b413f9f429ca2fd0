import type { AgentToSet, SchemaToSet } from '../assistants/agents.ts';

/** The agents of the demonstration host. */
export const demoSchemas: readonly SchemaToSet[] = [
  {
    name: 'interesse',
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
    name: 'boleto',
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
    name: 'registrar_interesse',
    schemaName: 'interesse',
    description:
      'Registra o interesse de uma pessoa em um curso, para que a equipe de matrículas entre em contato. Use quando a pessoa quiser se inscrever, se matricular ou receber um retorno.',
    frontName: 'Registrar interesse',
    lucideIcon: 'user-plus',
  },
  {
    name: 'segunda_via_boleto',
    schemaName: 'boleto',
    description:
      'Pede a segunda via do boleto de uma mensalidade. Use quando a pessoa pedir o boleto ou disser que o perdeu ou que ele venceu.',
    frontName: 'Segunda via de boleto',
    lucideIcon: 'receipt',
  },
];
