/** English words and phrases with their translations; phrases first, because they are replaced in this order. */
export const englishPhrases: readonly (readonly [english: string, portuguese: string])[] = [
  ['opening hours', 'horario de atendimento'],
  ['office hours', 'horario de atendimento'],
  ['payment slip', 'boleto'],
  ['bank slip', 'boleto'],
  ['entrance exam', 'vestibular'],
  ['admission exam', 'vestibular'],
  ['entry exam', 'vestibular'],
  ['substitute exam', 'prova substitutiva'],
  ['make up exam', 'prova substitutiva'],
  ['final exams', 'provas finais'],
  ['student card', 'carteirinha'],
  ['student id', 'carteirinha'],
  ['income tax', 'imposto de renda'],
  ['sign language', 'libras'],
  ['medical certificate', 'atestado medico'],
  ['study room', 'sala de estudo'],
  ['study rooms', 'salas de estudo'],
  ['class hours', 'carga horaria'],
  ['police report', 'boletim de ocorrencia'],
  ['phone number', 'telefone'],
  ['distance learning', 'educacao a distancia'],
  ['financial office', 'setor financeiro'],
  ['registrar office', 'secretaria'],
  ['tuition fee', 'mensalidade'],
  ['tuition fees', 'mensalidades'],
  ['degree certificate', 'diploma'],
  ['passing grade', 'nota minima aprovacao'],
  ['pay back', 'devolver'],
  ['high school', 'ensino medio'],
  ['how much is', 'quanto custa'],
  ['how much are', 'quanto custam'],
  ['how much does', 'quanto custa'],
  ['how much do', 'quanto custa'],
  ['how much', 'quanto'],
  ['how many', 'quantos'],
  ['how long', 'quanto tempo'],
  ['what time', 'que horas'],
  ['until when', 'ate quando'],
  ['by when', 'ate quando'],
  ['deadline', 'prazo ate quando'],
  ['am i allowed', 'posso'],
  ['can i', 'posso'],
  ['may i', 'posso'],
  ['do you offer', 'oferecem'],
  ['do you have', 'tem'],
  ['is there', 'tem'],
  ['are there', 'tem'],
];

const wordPairs =
  'how como|what qual|which quais|when quando|where onde|who quem|why porque|open abre|opens abre|close fecha|closes fecha|' +
  'library biblioteca|book livro|books livros|borrow retirar|fee taxa|fees taxas|price preco|cost custa|costs custa|pay pagar|' +
  'payment pagamento|tuition mensalidade|free gratuito|discount desconto|discounts descontos|scholarship bolsa|scholarships bolsas|' +
  'loan credito|refund reembolso|invoice boleto|duplicate segunda via|copy segunda via|exam prova|exams provas|test prova|grade nota|' +
  'grades notas|pass aprovacao|absences faltas|attendance frequencia|class aula|classes aulas|semester semestre|term semestre|' +
  'first primeiro|second segundo|start comecam|starts comecam|begin comecam|begins comecam|end terminam|ends terminam|holiday feriado|' +
  'holidays feriados|saturday sabado|saturdays sabados|sunday domingo|week semana|month mes|year ano|day dia|days dias|hours horas|' +
  'document documento|documents documentos|enroll matricula|enrol matricula|enrollment matricula|register inscricao|registration inscricao|' +
  'apply inscricao|application inscricao|admission ingresso|transfer transferencia|course curso|courses cursos|degree graduacao|program curso|' +
  'programs cursos|law direito|medicine medicina|nursing enfermagem|dentistry odontologia|psychology psicologia|engineering engenharia|' +
  'nutrition nutricao|business administracao|accounting contabeis|online online|campus campus|address endereco|parking estacionamento|' +
  'visit visita|phone telefone|email email|contact contato|whatsapp whatsapp|office setor|secretary secretaria|ombudsman ouvidoria|' +
  'password senha|portal portal|login acesso|internship estagio|thesis tcc|diploma diploma|transcript historico|certificate certificado|' +
  'graduation colacao|suspend trancar|cancel cancelar|leave trancar|change troca|shift turno|student aluno|students alunos|freshman calouro|' +
  'freshmen calouros|teacher professor|support apoio|disability acessibilidade|postgraduate pos graduacao|last dura|lasts dura|take demora|' +
  'takes demora|get conseguir|need precisa|minimum minima|maximum maximo|alumni ex alunos|siblings irmaos|brother irmao|sister irma|' +
  'income renda|report informe|reports informes|interpreter interprete|interpreters interpretes|installment parcela|installments parcelas|' +
  'split dividir|negotiate negociar|debts dividas|renew renovar|renewal renovacao|return devolver|lost perdi|insurance seguro|company empresa|' +
  'companies empresas|psychologist psicologo|psychological psicologico|counseling psicologico|session sessao|sessions sessoes|review revisao|' +
  'complaint reclamacao|complaints reclamacoes|laboratory laboratorio|laboratories laboratorios|lab laboratorio|labs laboratorios|advisor orientador|' +
  'syllabus plano de ensino|average media|result resultado|results resultados|question questao|questions questoes|essay redacao|app aplicativo|' +
  'merit merito|social social|minor menor|minors menores|subject disciplina|subjects disciplinas|city cidade|cities cidades|' +
  'state estado|states estados|' +
  'due vence|debt divida|late atraso|fine multa|interest juros|credit credito|card cartao|restaurant restaurante|gym academia|pool piscina';

export const englishWords: ReadonlyMap<string, string> = new Map(
  wordPairs.split('|').map(pair => {
    const [english = '', ...portuguese] = pair.split(' ');
    return [english, portuguese.join(' ')];
  }),
);

/** Frequent words that Portuguese does not have: they show that a question is English. */
export const distinctiveEnglishWords: ReadonlySet<string> = new Set(
  (
    'the what when where which who how is are was does did can could may my your you i it this that there and of to for from with ' +
    'have has get need want would should much many long please hello thanks about'
  ).split(' '),
);
