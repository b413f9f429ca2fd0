import type { BodyOf, OperationName } from '../queues/contract/operations/index.ts';
import { decimalMark, groupMark } from './format.ts';

/* The Portuguese words of fields. Their limits are in the contract, from which `shapes.ts` takes them. */

type Item<Value> = Value extends readonly (infer I)[] ? I & string : Value & string;

/** `Value`: of the field in the contract. */
export interface FieldWords<Value = string> {
  readonly hint?: string;
  readonly placeholder?: string;
  readonly type?: 'url' | 'email' | 'date';
  readonly inputMode?: 'decimal';
  /** How people type it, where that is not the form in which it is sent. */
  readonly pattern?: string;
  /** The height of a longer text, which is sent as it was typed. */
  readonly rows?: number;
  readonly spellcheck?: false;
  /** Whether it must be filled in, where the contract does not know the field by itself. */
  readonly isRequired?: boolean;
  readonly choices?: Readonly<Record<Item<Value>, string>>;
  /** Hints for the chosen value. */
  readonly hints?: Readonly<Record<Item<Value>, string>>;
}

/** The fields of a body that forms show; `config.url` is a part of `config`. */
type WordsOf<Body> = { readonly [F in keyof Body]?: FieldWords<NonNullable<Body[F]>> } & {
  readonly [part: `${string}.${string}`]: FieldWords;
};

const address = { type: 'url', placeholder: 'https://' } as const;
const validity = {
  valid_from: { type: 'date', hint: 'Vazio: desde já.' },
  valid_until: { type: 'date', hint: 'Até o fim deste dia. Vazio: sem prazo.' },
} as const;
const ofDocument = { ...validity, refresh_every_hours: { hint: 'De um endereço. Vazio: uma vez só.' } };
const ofImport = {
  ...ofDocument,
  read_scans: {
    hint: 'O modelo lê páginas de PDF digitalizadas, e cada página é uma chamada. Confira depois os números que ele leu.',
  },
};
const enrich = {
  hint: 'Um modelo diz, para cada passagem, os nomes que as pessoas dão ao que está nela; só a busca os usa.',
};

/** An amount of money, with at most this many digits after the mark. */
const amountWith = (digits: number) =>
  String.raw`\s*(\d{1,9}|\d{1,3}([${groupMark}]\d{3}){1,2})([${decimalMark}]\d{1,${digits}})?\s*`;

const budget = { inputMode: 'decimal', placeholder: 'Sem limite', pattern: amountWith(6) } as const;

/** Words of the fields of each form, beside their labels. */
export const words = {
  saveWebhook: {
    name: { hint: 'Do sistema que é avisado.' },
    url: address,
    events: {
      choices: {
        'turn.answered': 'Pergunta respondida',
        'turn.failed': 'Pergunta ficou sem resposta',
        'message.sent': 'Equipe escreveu à pessoa',
        'conversation.handover_requested': 'Conversa espera por uma pessoa',
        'feedback.given': 'Alguém disse se uma resposta estava certa',
        'conversation.reassigned': 'Conversa voltou à equipe',
        'conversation.closed': 'Conversa encerrada',
        'conversation.idle': 'Pessoa parou de responder',
        'conversation.returned': 'Conversa voltou ao assistente',
        'conversation.window_closing': 'Canal logo não leva mais texto livre',
        'ticket.opened': 'Chamado aberto',
        'agent.ran': 'Agente rodou',
        'record.refused': 'Registro do CRM recusado',
        'insight.updated': 'Resumo da conversa atualizado',
        'budget.reached': 'Orçamento atingido',
        'import.finished': 'Importação de documento terminada',
        'document.changed': 'Endereço relido mudou ou falhou',
        'contradiction.found': 'Contradição nova encontrada',
      },
    },
  },
  saveMcpConfig: {
    name: { hint: 'O modelo o vê antes do nome de cada ferramenta.' },
    avatarId: {},
    transportType: {
      choices: {
        streamable: 'HTTP',
        sse: 'HTTP com SSE, dos servidores antigos',
        stdio: 'Um comando que o Parley roda',
      },
    },
    'config.url': { ...address, isRequired: true },
    'config.headers': {
      hint: 'Um por linha, como “Authorization: Bearer …”. O que está guardado aparece como ***, e fica se não for mudado.',
      rows: 3,
      spellcheck: false,
    },
    'config.command': { hint: 'Só roda o que quem instalou o Parley permite.', isRequired: true },
    'config.args': { hint: 'Um por linha.', rows: 3, spellcheck: false },
    controlConv: {},
    unmasked: {},
  },
  saveRestTool: {
    name: { hint: 'O modelo o vê antes do nome de cada função.' },
    avatarId: {},
    baseURL: address,
    'auth.kind': {
      choices: {
        none: 'Sem segredo',
        bearer: 'Authorization: Bearer …',
        basic: 'Usuário e senha',
        header: 'Um cabeçalho',
        query: 'Um campo do endereço',
      },
    },
    'auth.name': { isRequired: true },
    'auth.user': { isRequired: true },
    'auth.secret': {
      hint: 'O que está guardado aparece como ***, e fica se não for mudado.',
      isRequired: true,
    },
    'functions.text': {
      hint: 'As que mudam algo (confirm: "person") só são chamadas depois de um sim da pessoa.',
      rows: 14,
      spellcheck: false,
      isRequired: true,
    },
    unmasked: {},
  },
  saveAgent: {
    agentName: { hint: 'Letras sem acento, números, “_” e “-”; não muda.' },
    frontName: {},
    description: { hint: 'O modelo decide por isto quando o roda.', rows: 4 },
    lucideIcon: { hint: 'Um nome de lucide.dev, como user-plus.' },
    'schema.text': {
      hint: 'O modelo só o roda quando a pessoa disse o que é obrigatório.',
      rows: 14,
      spellcheck: false,
      isRequired: true,
    },
  },
  saveSiteChat: {
    title: { hint: 'Como os visitantes o veem.' },
    avatarId: {},
    'origins.text': {
      hint: 'Um por linha, como https://www.exemplo.edu.br, sem o resto do endereço. Nas outras páginas ele não aparece.',
      rows: 3,
      spellcheck: false,
      isRequired: true,
    },
    greeting: { hint: 'Fica antes da primeira pergunta.', rows: 2 },
    colour: { hint: 'Do botão e do que os visitantes escrevem, como #1a4fa3.' },
    showSources: {},
    visitorQuestionsPerHour: {},
    addressQuestionsPerHour: { hint: 'Um campus inteiro pode ter um só endereço.' },
    questionsPerDay: {},
  },
  findSiteSources: {
    url: {
      hint: 'Por exemplo: www.exemplo.edu.br. O site é lido como ele mesmo se descreve, no máximo 200 páginas por mapa.',
    },
  },
  readOpenApi: {
    openapi: {
      hint: 'O texto do arquivo, em JSON ou YAML, ou o endereço dele. Nada é guardado ainda.',
      rows: 5,
      spellcheck: false,
    },
  },
  savePerson: {
    name: { hint: 'Aparece para a equipe e nas mensagens que a pessoa envia.' },
    email: {
      hint: 'Reconhece a pessoa, também na conta da instituição: o Parley não manda mensagens.',
      type: 'email',
    },
    role: {
      choices: { agent: 'Atendimento', manager: 'Gestão', admin: 'Administração' },
      hints: {
        agent: 'Atende pessoas e faz buscas.',
        manager: 'Também cuida do conhecimento e dos assistentes, e vê os relatórios.',
        admin: 'Também convida pessoas e decide o que elas podem.',
      },
    },
  },
  saveTeam: {
    name: { hint: 'Como “Financeiro”: o assistente e a equipe a veem.' },
    description: {
      hint: 'Por isto o assistente escolhe a equipe: “Boletos, mensalidades e bolsas”.',
      rows: 3,
    },
    personIds: {},
  },
  saveAttendance: {
    'labels.text': { hint: 'Uma por linha, na ordem em que aparecem. Uma conversa tem até dez.', rows: 5 },
    'close_reasons.text': {
      hint: 'Um por linha. Sem nenhum, encerrar não pergunta o motivo.',
      rows: 5,
    },
    reassign_after_minutes: { hint: 'De 5 a 10.080; vazio: nunca. Conta desde que a conversa foi passada.' },
  },
  saveHost: {
    dailyBudget: budget,
    monthlyBudget: budget,
    name: {},
    share: { hint: 'Onde várias instituições esperam, 2 recebe o dobro de 1.' },
    maxChunks: {},
    chunkSizeLimit: {},
    bursts: { choices: { each: 'Responder cada uma', last: 'Responder só a última, por todas' } },
    mask: { hint: 'Saem do Parley como [CPF_1], e voltam na resposta.' },
    maskImages: { choices: { refuse: 'Recusar', allow: 'Enviar assim mesmo' } },
    keepAttachments: { hint: 'Imagens, áudios e arquivos. Com 0, são apagados assim que há resposta.' },
    files_quota_mb: { hint: 'Acima disso a equipe não envia arquivos, e os das pessoas não são guardados.' },
    return_after_minutes: { hint: 'De 5 a 10.080; vazio: nunca.' },
    'window_hours.whatsapp': {
      hint: 'Na API oficial são 24; vazio: sempre. Depois disso só segue um modelo aprovado.',
    },
    turns_per_person_per_hour: {},
  },
  appendMessage: {
    'template.name': { isRequired: true },
    'template.language': { isRequired: true },
    'template.values': { hint: 'Um por linha, na ordem do modelo.', rows: 2 },
    content: { hint: 'Como a pessoa lê o modelo.', rows: 2 },
  },
  saveConsent: {
    version: { hint: 'Do texto que a pessoa leu ou ouviu, como “2026-03”.' },
    textDigest: { hint: 'O SHA-256, de quem mantém o texto. O de uma versão conhecida já vem preenchido.' },
    channel: {},
    withdrawn: {},
  },
  createHost: {
    name: { hint: 'Como as pessoas a conhecem.' },
    slug: { hint: 'Letras minúsculas, números e hífens; não muda.' },
  },
  issueToken: {
    name: { hint: 'Do sistema que o usa.', isRequired: true },
    scopes: {
      hint: 'Só o que o sistema precisa.',
      choices: {
        reason: 'Conversar e atender',
        manage: 'Conhecimento e assistentes',
        report: 'Relatórios',
        intake: 'Registros do CRM',
        search: 'Busca',
        'search:write': 'Índice da busca',
        admin: 'Administração',
      },
    },
    expires: { choices: { '12h': '12 horas', '30d': '30 dias', '365d': 'Um ano', never: 'Sem fim' } },
  },
  saveContract: {
    startsOn: { type: 'date', hint: 'Vale até começar o próximo.', isRequired: true },
    price: {
      inputMode: 'decimal',
      placeholder: '1,80',
      pattern: amountWith(4),
      isRequired: true,
    },
    services: {},
  },
  saveMapping: {
    'mapping.text': {
      hint: 'O destino de cada campo do CRM, e os campos obrigatórios.',
      rows: 14,
      spellcheck: false,
      isRequired: true,
    },
  },
  tryMapping: {
    'record.text': {
      hint: 'Como o CRM o envia. Nada é guardado.',
      rows: 5,
      spellcheck: false,
      isRequired: true,
    },
  },
  saveSavedReply: {
    name: { hint: 'Curto, para achá-la depois da barra.' },
    text: { hint: '{nome} vira o primeiro nome da pessoa.', rows: 6 },
    onlyMine: {},
  },
  createDataset: {
    datasetName: { hint: 'Por exemplo: Guia do aluno' },
    datasetType: {
      choices: {
        common_rag: 'Todas as conversas',
        filtered_rag: 'Só conversas com os dados pedidos na passagem',
      },
    },
    enrich,
    avatarIds: {},
  },
  editDataset: {
    datasetName: {},
    enrich,
  },
  editChunk: {
    ...validity,
    people_words: { hint: 'Separadas por vírgulas. Só a busca as usa; mudar o texto as apaga.', rows: 2 },
  },
  importDocument: ofImport,
  editDocument: ofDocument,
  createSubAvatar: {
    avatar_name: { hint: 'Como ele se apresenta às pessoas.' },
    sub_slug: { hint: 'Letras minúsculas, números e hífens. As integrações escolhem por ele.' },
  },
  editAvatar: {
    prompt_envelop: { hint: 'Quem o assistente é, como fala e o que não deve fazer.', rows: 14 },
    avatar_name: {},
    language: {},
    model: {},
    answer_mode: {
      hint: 'Citar não usa modelo nem gasta: responde com frases do conhecimento e a fonte. Funções e passos do fluxo que precisam de um modelo ficam de fora.',
      choices: { model: 'Escrever com o modelo', quote: 'Citar o conhecimento, sem modelo' },
    },
    on_unsupported: {
      choices: {
        pass: 'Enviar assim mesmo',
        handoff: 'Enviar e chamar uma pessoa',
        withhold: 'Trocar a frase por “não encontrei”',
      },
    },
    on_failure: {
      choices: {
        error: 'Nada: a falha vai para quem chamou',
        handoff: 'Enviar um texto e chamar uma pessoa',
      },
    },
    failure_text: { hint: 'Vazio: uma frase pronta, no idioma do assistente.', rows: 2 },
    rewrite: {
      hint: 'O modelo reescreve a pergunta, e a busca é feita também com essas palavras: uma chamada a mais, em cerca de uma a cada dez perguntas.',
    },
    idle_after_minutes: { hint: 'De 5 a 10.080; vazio: nunca. O aviso vai para os webhooks.' },
  },
} as const satisfies { readonly [N in OperationName]?: WordsOf<BodyOf<N>> };

export type FormName = keyof typeof words;

export const roleNames = words.savePerson.role.choices;
