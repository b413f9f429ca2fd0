import type { DataOf } from '../../../queues/contract/operations/index.ts';

export type Entry = DataOf<'listAudit'>['items'][number];

const things = new Map([
  ['agents', 'o agente'],
  ['agent_schemas', 'o formulário de agente'],
  ['approved_answers', 'a resposta aprovada'],
  ['avatars', 'o assistente'],
  ['chunks', 'uma passagem'],
  ['contracts', 'o contrato'],
  ['crm_mappings', 'o mapeamento do CRM'],
  ['dataset_avatars', 'o que um assistente lê'],
  ['datasets', 'a base'],
  ['deliveries', 'uma entrega de webhook'],
  ['documents', 'o documento'],
  ['evaluation_cases', 'os casos de um assistente'],
  ['flows', 'o fluxo'],
  ['host_providers', 'o provedor de modelos'],
  ['hosts', 'as configurações da instituição'],
  ['crm_sources', 'a origem de registros assinados'],
  ['links', 'um link de entrada'],
  ['mcp_configs', 'o servidor de ferramentas'],
  ['people', 'a pessoa'],
  ['rest_tools', 'a ferramenta REST'],
  ['saved_replies', 'a resposta pronta'],
  ['sessions', 'uma sessão'],
  ['site_chats', 'o chat no site'],
  ['teams', 'a equipe'],
  ['tokens', 'o token'],
  ['webhooks', 'o webhook'],
]);

/** Operations that the list can be filtered by. */
export const operationNames: readonly (readonly [value: string, text: string])[] = [
  ['', 'Todas'],
  ['editAvatar', 'Mudar um assistente'],
  ['createSubAvatar', 'Criar um assistente'],
  ['saveFlow', 'Salvar um fluxo'],
  ['restoreFlowVersion', 'Voltar a uma versão do fluxo'],
  ['saveAgent', 'Salvar um agente'],
  ['deleteAgent', 'Excluir um agente'],
  ['saveEvaluationCases', 'Guardar casos'],
  ['createChunk', 'Escrever uma passagem'],
  ['editChunk', 'Mudar uma passagem'],
  ['resolveContradiction', 'Resolver uma contradição'],
  ['createDataset', 'Criar uma base'],
  ['editDataset', 'Mudar uma base'],
  ['importDocument', 'Importar um documento'],
  ['deleteDocument', 'Excluir um documento'],
  ['linkDatasetAvatar', 'Ligar uma base a um assistente'],
  ['unlinkDatasetAvatar', 'Desligar uma base de um assistente'],
  ['saveMcpConfig', 'Salvar ferramentas'],
  ['saveRestTool', 'Salvar uma ferramenta REST'],
  ['tryRestTool', 'Testar uma ferramenta REST'],
  ['tool.called', 'Mudar algo com uma ferramenta REST, numa conversa'],
  ['saveSiteChat', 'Salvar um chat no site'],
  ['saveWebhook', 'Salvar um webhook'],
  ['savePerson', 'Salvar uma pessoa'],
  ['saveApprovedAnswer', 'Salvar uma resposta aprovada'],
  ['saveTeam', 'Salvar uma equipe'],
  ['saveAttendance', 'Mudar como se atende'],
  ['saveSavedReply', 'Salvar uma resposta pronta'],
  ['invitePerson', 'Convidar uma pessoa'],
  ['endSessions', 'Encerrar sessões'],
  ['saveHost', 'Mudar a instituição'],
  ['saveHostProvider', 'Salvar um provedor de modelos'],
  ['saveContract', 'Mudar o contrato'],
  ['issueToken', 'Criar um token'],
  ['revokeToken', 'Revogar um token'],
  ['saveMapping', 'Salvar um mapeamento do CRM'],
  ['saveSource', 'Salvar uma origem de registros'],
];

const columns = new Map([
  ['answer', 'Resposta'],
  ['avatar_ids', 'Assistentes'],
  ['business_hours', 'Horário de atendimento'],
  ['cases', 'Casos'],
  ['content', 'Texto'],
  ['close_reasons', 'Motivos de encerrar'],
  ['config', 'Conexão'],
  ['daily_budget', 'Orçamento do dia'],
  ['deleted', 'Excluído'],
  ['disabled', 'Desativado'],
  ['email', 'E-mail'],
  ['description', 'Descrição'],
  ['enabled', 'Ativo'],
  ['events', 'Avisos'],
  ['expires', 'Validade'],
  ['failure_text', 'Texto para quando não pode responder'],
  ['idle_after_minutes', 'Minutos até avisar do silêncio'],
  ['labels', 'Etiquetas'],
  ['language', 'Idioma'],
  ['last_try', 'Última chamada'],
  ['link_expires_at', 'Validade do link de entrada'],
  ['mapping', 'Mapeamento'],
  ['model', 'Modelo'],
  ['monthly_budget', 'Orçamento do mês'],
  ['name', 'Nome'],
  ['on_failure', 'Quando não pode responder'],
  ['questions', 'Perguntas'],
  ['reassign_after_minutes', 'Minutos até voltar à equipe'],
  ['rewrite', 'Pergunta com outras palavras'],
  ['answer_mode', 'Como responde'],
  ['on_unsupported', 'Valor sem fonte'],
  ['owner_id', 'Só de'],
  ['passages', 'Passagens'],
  ['person_ids', 'Pessoas'],
  ['picture', 'Imagem'],
  ['prompt_envelop', 'Instruções'],
  ['return_after_minutes', 'Minutos até devolver ao assistente'],
  ['role', 'Papel'],
  ['origins', 'Sites'],
  ['title', 'Título'],
  ['greeting', 'Saudação'],
  ['colour', 'Cor'],
  ['show_sources', 'Fontes à vista'],
  ['visitor_questions_per_hour', 'Perguntas de um visitante por hora'],
  ['address_questions_per_hour', 'Perguntas de um endereço por hora'],
  ['questions_per_day', 'Perguntas por dia'],
  ['sealed_headers', 'Cabeçalhos'],
  ['sessions_ended_at', 'Sessões encerradas'],
  ['steps', 'Passos'],
  ['sub_slug', 'Identificador'],
  ['text', 'Texto'],
  ['time_zone', 'Fuso horário'],
  ['files_quota_mb', 'Espaço para arquivos (MiB)'],
  ['turns_per_person_per_hour', 'Perguntas de uma pessoa por hora'],
  ['url', 'Endereço'],
  ['window_hours', 'Janela dos canais, em horas'],
]);

const nameColumn = (column: string): string => columns.get(column) ?? column;

/** `Bia Souza mudou o assistente “Lia”`, by the name that it had then, if the change tells it. */
export function describeEntry({ actorName, table, rowName, before, after }: Entry): string {
  const isGone = after === null || (after['deleted'] === true && before?.['deleted'] === false);
  const isCall = after?.['last_try'] !== undefined;
  const verb = isCall ? 'chamou' : before === null ? 'criou' : isGone ? 'excluiu' : 'mudou';
  const { name = rowName } = after ?? before ?? {};
  const named = typeof name === 'string' && name !== '' ? ` “${name}”` : '';
  return `${actorName || 'Alguém'} ${verb} ${things.get(table) ?? table}${named}`;
}

/** The changed columns, with their values before and after. */
export function listChanges({ before, after }: Entry) {
  const shown = Object.keys(after ?? before ?? {}).filter(column => column !== 'id');
  return shown.map(column => ({
    column: nameColumn(column),
    before: writeValue(before?.[column]),
    after: writeValue(after?.[column]),
  }));
}

function writeValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const actorKinds: Readonly<Record<Entry['actorKind'], string>> = {
  person: 'pessoa da equipe',
  token: 'token da API',
  command: 'comando de quem instalou',
  database: 'direto no banco de dados',
};
