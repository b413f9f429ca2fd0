/** What the chat says, in the language of the page. */
const pt = {
  lang: 'pt',
  open: 'Abrir o chat',
  close: 'Fechar o chat',
  log: 'Conversa',
  you: 'Você',
  assistant: 'Assistente',
  staff: 'Equipe',
  question: 'Sua pergunta',
  send: 'Enviar',
  writing: 'Escrevendo…',
  source: 'Fonte',
  page: 'Abrir a página',
  offline: 'Sem conexão. Sua pergunta será enviada quando a conexão voltar.',
  again: 'Tentar de novo',
  failed: 'Não foi possível responder agora.',
  waiting: 'Uma pessoa da equipe vai responder aqui.',
  attending: 'A equipe está atendendo você.',
  unread: 'mensagens novas',
  'visitor-limit': 'Você já fez muitas perguntas nesta hora. Tente mais tarde.',
  'address-limit': 'Chegaram muitas perguntas desta rede nesta hora. Tente mais tarde.',
  'chat-limit': 'O chat recebeu muitas perguntas hoje. Tente amanhã.',
  'budget-exceeded': 'O chat não pode responder mais hoje.',
};

export type Words = Readonly<typeof pt>;

const es: Words = {
  lang: 'es',
  open: 'Abrir el chat',
  close: 'Cerrar el chat',
  log: 'Conversación',
  you: 'Usted',
  assistant: 'Asistente',
  staff: 'Equipo',
  question: 'Su pregunta',
  send: 'Enviar',
  writing: 'Escribiendo…',
  source: 'Fuente',
  page: 'Abrir la página',
  offline: 'Sin conexión. Su pregunta se enviará cuando vuelva la conexión.',
  again: 'Intentar de nuevo',
  failed: 'No fue posible responder ahora.',
  waiting: 'Una persona del equipo responderá aquí.',
  attending: 'El equipo le está atendiendo.',
  unread: 'mensajes nuevos',
  'visitor-limit': 'Ya hizo muchas preguntas en esta hora. Inténtelo más tarde.',
  'address-limit': 'Llegaron muchas preguntas de esta red en esta hora. Inténtelo más tarde.',
  'chat-limit': 'El chat recibió muchas preguntas hoy. Inténtelo mañana.',
  'budget-exceeded': 'El chat no puede responder más hoy.',
};

const en: Words = {
  lang: 'en',
  open: 'Open the chat',
  close: 'Close the chat',
  log: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  staff: 'Staff',
  question: 'Your question',
  send: 'Send',
  writing: 'Writing…',
  source: 'Source',
  page: 'Open the page',
  offline: 'No connection. Your question will be sent when it is back.',
  again: 'Try again',
  failed: 'There is no answer at the moment.',
  waiting: 'Somebody of the staff will answer here.',
  attending: 'The staff is answering you.',
  unread: 'new messages',
  'visitor-limit': 'You have asked many questions this hour. Try again later.',
  'address-limit': 'Many questions came from this network this hour. Try again later.',
  'chat-limit': 'The chat got many questions today. Try again tomorrow.',
  'budget-exceeded': 'The chat can answer no more today.',
};

const languages: Readonly<Record<string, Words>> = { pt, es, en };

/** Without a language of the page that of the browser counts; of others nobody is spoken to in Portuguese. */
export function wordsOf(page: string, browser: string): Words {
  const [language = ''] = (page || browser).toLowerCase().split('-', 1);
  return languages[language] ?? (language === '' ? pt : en);
}

/** Why there is no answer, by the reason of the service. */
export function refusalOf(words: Words, reason: string | undefined): string {
  const known: Readonly<Record<string, string>> = words;
  return (reason?.includes('-') && known[reason]) || words.failed;
}
