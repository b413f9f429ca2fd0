/** The types of events that a webhook may want. @type {[string, string][]} */
export const eventTypes = [
  ['turn.answered', 'Pergunta respondida'],
  ['conversation.handover_requested', 'Conversa espera por uma pessoa'],
  ['conversation.closed', 'Conversa encerrada'],
  ['ticket.opened', 'Chamado aberto'],
  ['agent.ran', 'Agente rodou'],
  ['record.refused', 'Registro do CRM recusado'],
  ['insight.updated', 'Resumo da conversa atualizado'],
  ['budget.reached', 'Orçamento atingido'],
  ['import.finished', 'Importação de documento terminada'],
];
const labels = new Map([...eventTypes, ['webhook.test', 'Teste'], ['job.completed', 'Trabalho concluído']]);

/** @param {string} type */
export const eventLabel = type => labels.get(type) ?? type;
