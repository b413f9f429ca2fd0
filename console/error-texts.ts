import type { FailureData, Refusal, refusals } from '../queues/contract/failure.ts';
import { formatCount } from './format.ts';
import { labelOf, labels } from './labels.ts';

/* The refusals of the service, and the rules of its fields, in Portuguese. */

const UNREAD = 'O pedido não pôde ser lido';
const FAILED = 'Algo deu errado';

/** Sentences for refusals whose status says enough, for answers of a proxy, and, with 0, for none. */
const statusTexts = {
  0: 'Sem conexão com o serviço',
  400: UNREAD,
  401: 'O acesso está errado, venceu ou foi revogado',
  403: 'O seu acesso não permite isto',
  404: 'Nada foi encontrado',
  405: UNREAD,
  408: 'A resposta demorou demais',
  413: 'É grande demais para ser enviado',
  415: UNREAD,
  417: UNREAD,
  429: 'Pedidos demais em pouco tempo',
  431: UNREAD,
  500: FAILED,
  503: 'O serviço está sobrecarregado ou indisponível',
} as const;

/** The refusals of the other statuses each need a sentence. */
type Unsaid = {
  [R in Refusal]: (typeof refusals)[R][0] extends keyof typeof statusTexts ? never : R;
}[Refusal];

const refusalTexts: Readonly<Record<Unsaid, string> & { [R in Refusal]?: string }> = {
  'body-invalid': 'Algum campo está errado',
  'mapping-not-agreed': 'Não há mapeamento para este tipo de registro',
  'contradiction-not-found': 'Esta contradição já foi decidida, ou os textos mudaram',
  'site-chat-not-found': 'Este chat não existe, ou está desligado',
  'host-disabled': 'A instituição está desativada: nada foi apagado',
  'host-full': 'A instituição chegou ao limite',
  'files-full': 'Os arquivos da instituição ocupam todo o espaço que ela tem: nada foi enviado',
  'files-unavailable': 'O lugar dos arquivos não responde: nada foi enviado. Tente daqui a pouco',
  'host-not-chosen': 'É preciso escolher uma instituição',
  'tests-running': 'Um teste já está em andamento',
  'sub-avatar-missing': 'Este assistente não existe',
  'last-avatar': 'É o único assistente: crie outro antes de excluir este',
  'slug-taken': 'Este identificador já é de outra instituição',
  'sub-slug-taken': 'Este identificador já é de outro assistente',
  'flow-stale':
    'Outra pessoa salvou este fluxo depois que você o abriu: recarregue a página. As suas mudanças ficam.',
  'cases-failing': 'Nada foi salvo: com estas mudanças, casos guardados deixariam de passar',
  'change-overtaken': 'Algo mudou enquanto os casos eram conferidos: salve de novo',
  'email-taken': 'Este e-mail já é de outra pessoa da equipe',
  'person-disabled': 'Esta pessoa está desativada',
  'last-admin': 'É a última pessoa que administra: dê antes esse papel a outra',
  'webhook-disabled': 'Este webhook está pausado',
  'window-closed':
    'O canal não leva mais texto livre: a pessoa escreveu há tempo demais. Envie um modelo aprovado.',
  'reindex-running': 'Estes registros já estão sendo indexados de novo',
  'address-expired': 'O endereço do arquivo venceu',
  'key-reused': 'Este pedido já foi feito com outro conteúdo',
  'budget-exceeded': 'O orçamento da instituição para os modelos acabou',
  'person-limit': 'Esta pessoa já fez perguntas demais nesta hora',
  'visitor-invalid': 'O visitante não é conhecido: abra o chat de novo',
  'origin-not-allowed': 'O chat não é para páginas deste endereço',
  'visitor-limit': 'O visitante já fez perguntas demais nesta hora',
  'address-limit': 'Chegaram perguntas demais desta rede nesta hora',
  'chat-limit': 'O chat já recebeu perguntas demais hoje',
  'documents-waiting': 'Há documentos demais na fila: espere que alguns terminem',
  'too-many-streams': 'Há páginas demais do painel abertas nesta instituição',
  'model-unavailable': 'O modelo não deu uma resposta que sirva: tente de novo',
  'model-without-price': 'O modelo não tem preço, e o orçamento da instituição exige um',
  'transcription-unavailable': 'O áudio não pôde ser transcrito: tente de novo',
};

type FieldError = Pick<NonNullable<FailureData['fields']>[number], 'path' | 'message'> & {
  /** Records that an earlier version refused have none. */
  readonly rule?: Rule | undefined;
  readonly limit?: number | undefined;
  readonly values?: readonly string[] | undefined;
};
type Rule = NonNullable<FailureData['fields']>[number]['rule'];

const typeTexts = new Map([
  ['string', 'um texto'],
  ['number', 'um número'],
  ['boolean', 'sim ou não'],
  ['array', 'uma lista'],
]);

type RuleText = string | ((limit: number, values: readonly string[]) => string);

const ruleTexts: Readonly<Record<Rule, RuleText>> = {
  required: 'é preciso preencher',
  'not-empty': 'é preciso preencher',
  type: (_, types) =>
    `precisa ser ${types.flatMap(type => typeTexts.get(type) ?? []).join(' ou ') || 'outro'}`,
  integer: 'precisa ser um número inteiro',
  'one-of': (_, values) => `precisa ser um destes: ${values.join(', ')}`,
  format: 'não está na forma esperada',
  date: 'não é uma data',
  base64: 'não está em base64',
  'min-length': least => `precisa de pelo menos ${formatCount(least, 'caractere', 'caracteres')}`,
  'max-length': most => `só cabem ${formatCount(most, 'caractere', 'caracteres')}`,
  min: least => `precisa ser pelo menos ${least.toLocaleString('pt-BR')}`,
  max: most => `pode ser no máximo ${most.toLocaleString('pt-BR')}`,
  'min-items': least => `precisa de pelo menos ${least.toLocaleString('pt-BR')}`,
  'max-items': most => `só cabem ${most.toLocaleString('pt-BR')}`,
  'min-digits': least => `precisa de pelo menos ${formatCount(least, 'dígito', 'dígitos')}`,
  'too-large': 'é grande demais',
  'one-required': (_, values) => `É preciso preencher um destes: ${values.join(', ')}`,
  'exactly-one': (_, values) => `é preciso preencher só um destes: ${values.join(', ')}`,
  'both-given': 'foi dado duas vezes, e não é igual',
  'only-with': 'só vale junto com outro campo',
  'not-allowed': 'não pode ser mudado',
  'unknown-field': 'não pode ser enviado',
  unknown: 'não existe nesta instituição',
  taken: 'já é de outra pessoa ou coisa',
  after: 'tem de vir depois do início',
  'max-years': most => `pode vir até ${formatCount(most, 'ano', 'anos')} depois do início`,
  url: 'precisa ser um endereço inteiro, como https://exemplo.com.br',
  'url-part': 'tem no endereço uma parte que não cabe ali',
  'url-port': 'a porta tem de ser 80, 443 ou acima de 1023',
  'url-origin': 'não é de um webhook ativo da instituição',
  'private-address': 'leva a uma rede privada, e quem instalou o Parley não permite esta',
  'command-not-allowed': 'não está entre os que quem instalou o Parley permite',
  twice: 'está duas vezes',
  'header-name': 'o nome não é de um cabeçalho',
  characters: 'tem letras que não podem ser enviadas ali',
  'send-again': 'precisa ser escrito de novo: o endereço é de outro servidor',
  'nothing-to-keep': 'não há valor guardado',
  mask: 'precisa ser o valor inteiro, ou só *** para manter o guardado',
  cursor: 'não é desta lista',
  expired: 'venceu: comece a lista de novo',
  schema: 'o esquema está errado',
  'front-matter': 'o cabeçalho do texto não pôde ser lido',
  unsupported: 'nenhum modelo que responda por esta instituição pode ler isto',
  'wrong-kind': 'não é do tipo que diz ser',
  unreachable: 'não pôde ser buscado',
  unreadable: 'não pôde ser lido',
  'without-words': 'é uma gravação sem palavras',
  'model-refused': 'o modelo recusou',
  'several-records': 'traz vários registros: envie de novo',
  'no-mapping': 'Não há mapeamento para este tipo de registro: quem instalou o Parley precisa criar um',
  'service-error': 'Erro interno do Parley: processe de novo',
  'given-up': times =>
    `O Parley começou ${formatCount(times, 'vez', 'vezes')} e não chegou ao fim: avise quem cuida dele antes de processar de novo`,
};

/** A rule in the words of the fields at these paths, where the usual ones would be untrue. */
const nearTexts: readonly (readonly [RegExp, Rule, string])[] = [
  [/\.goTo$/, 'unknown', 'precisa ser um passo que vem depois'],
  [/^\//, 'unknown', 'não existe no arquivo'],
  [/^\//, 'unsupported', 'uma ferramenta não pode enviar isto'],
];

/** `status`: for an answer that names no refusal. */
export function meaningOf(status: number, reason: Refusal | undefined): string {
  return (reason && refusalTexts[reason]) ?? (statusTexts as Record<number, string>)[status] ?? FAILED;
}

/** `chainJson[2].name` is a field of the third step. */
function labelInStep(path: string): string | undefined {
  const [, at, part = ''] = /chainJson\[(\d{1,3})\]\.(\w{1,40})/.exec(path) ?? [];
  const label = labels.get(`chainJson.${part}`);
  return label && `Passo ${Number(at) + 1}, ${label}`;
}

/** Says what is wrong with a field; where the whole is wrong, no name stands before it. */
export function describeField({ path, message, rule, limit = 0, values = [] }: FieldError): string {
  const label = labelInStep(path) ?? labelOf(path) ?? path.replace(/^config\.headers\./, 'Cabeçalho ');
  const near = nearTexts.find(([where, of]) => of === rule && where.test(path))?.[2];
  const text = near ?? (rule && ruleTexts[rule]) ?? message;
  const told = typeof text === 'function' ? text(limit, values) : text;
  return path === '' || rule === 'one-required' ? told : `${label}: ${told}`;
}
