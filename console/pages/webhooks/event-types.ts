import type { BodyOf, DataOf } from '../../../queues/contract/operations/index.ts';

export type Webhook = DataOf<'listWebhooks'>[number];
type Wanted = NonNullable<BodyOf<'saveWebhook'>['events']>[number];
type EventType = DataOf<'listDeliveries'>['items'][number]['type'];

/** The types of events that a webhook may want. */
export const eventTypes: Readonly<Record<Wanted, string>> = {
  'turn.answered': 'Pergunta respondida',
  'turn.failed': 'Pergunta ficou sem resposta',
  'message.sent': 'Equipe escreveu à pessoa',
  'conversation.handover_requested': 'Conversa espera por uma pessoa',
  'conversation.closed': 'Conversa encerrada',
  'conversation.idle': 'Pessoa parou de responder',
  'ticket.opened': 'Chamado aberto',
  'agent.ran': 'Agente rodou',
  'record.refused': 'Registro do CRM recusado',
  'insight.updated': 'Resumo da conversa atualizado',
  'budget.reached': 'Orçamento atingido',
  'import.finished': 'Importação de documento terminada',
};

const others: Readonly<Record<Exclude<EventType, Wanted>, string>> = {
  'webhook.test': 'Teste',
  'job.completed': 'Trabalho concluído',
};

export const eventLabel = (type: EventType): string => ({ ...eventTypes, ...others })[type];
