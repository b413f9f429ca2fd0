/* Texts for the model about the tools that every turn offers. */

export const HELP_DESCRIPTION =
  'Chama uma pessoa da equipe para continuar o atendimento. Use quando a pessoa pedir para falar com alguém ' +
  '(customer_request), quando a resposta não estiver no conhecimento e for importante (missing_knowledge), quando ' +
  'o pedido estiver fora do que você faz (unsupported_request), quando uma regra impedir (policy_restriction) ou ' +
  'quando uma função falhar (tool_failure). Depois avise a pessoa.';
export const TEAM_CALLED = 'A equipe foi chamada: uma pessoa vai continuar este atendimento.';

export const TICKET_DESCRIPTION =
  'Abre um chamado para a equipe resolver depois. Use quando a pessoa pedir ou concordar, com o assunto em poucas ' +
  'palavras e a descrição com tudo o que ela disse sobre o pedido.';
export const TICKET_OPENED = 'O chamado foi registrado e a equipe vai dar retorno.';
export const TICKET_EXISTS = 'já há um chamado nesta resposta';

export const CLOSE_DESCRIPTION =
  'Encerra o atendimento depois desta resposta. Use só quando a pessoa se despedir ou pedir.';
export const CONVERSATION_CLOSES = 'O atendimento será encerrado depois desta resposta.';
