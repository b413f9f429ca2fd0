/** English words with their Portuguese translations in a knowledge base. */
const pairs =
  'library biblioteca|book livro|books livros|borrow retirar|fee taxa|fees taxas|price valor|cost valor|costs custam|pay pagar|' +
  'payment pagamento|tuition mensalidade|free gratuito|discount desconto|discounts descontos|scholarship bolsa|scholarships bolsas|' +
  'loan credito|refund reembolso|invoice boleto|slip boleto|duplicate segunda via|exam prova|exams provas|entrance vestibular|' +
  'admission vestibular|grade nota|grades notas|pass aprovacao|absences faltas|attendance frequencia|class aula|classes aulas|' +
  'semester semestre|term semestre|start comecam|starts comecam|begin comecam|begins comecam|end terminam|ends terminam|' +
  'holiday feriado|holidays feriados|saturday sabado|saturdays sabados|deadline prazo|opening horario atendimento|hours horario|' +
  'document documento|documents documentos|enroll matricula|enrol matricula|enrollment matricula|register inscricao|' +
  'registration inscricao|apply inscricao|application inscricao|transfer transferencia|course curso|courses cursos|program curso|' +
  'programs cursos|law direito|medicine medicina|nursing enfermagem|dentistry odontologia|psychology psicologia|' +
  'engineering engenharia|business administracao|accounting contabeis|distance distancia|address endereco|where endereco fica|' +
  'parking estacionamento|visit visita|phone telefone|contact contato|office setor|secretary secretaria|registrar secretaria|' +
  'ombudsman ouvidoria|password senha|internship estagio|thesis tcc|degree diploma|transcript historico|certificate certificado|' +
  'graduation colacao|suspend trancar|cancel cancelar|change troca|shift turno|student aluno|students alunos|card carteirinha|' +
  'freshman calouro|freshmen calouros|teacher professor|support apoio|disability acessibilidade|postgraduate pos graduacao|' +
  'alumni ex alunos|siblings irmaos|brother irmao|sister irma|due vence|debt atraso|late atraso|fine multa|interest juros|credit credito';

const portuguese: ReadonlyMap<string, readonly string[]> = new Map(
  pairs.split('|').map(pair => {
    const [english = '', ...words] = pair.split(' ');
    return [english, words];
  }),
);

/** Words that do not occur in Portuguese. */
const onlyEnglish: ReadonlySet<string> = new Set(
  (
    'the what when where which who how is are was does did can could may my your you i it this that there and of to for from with ' +
    'have has get need want would should much many long please'
  ).split(' '),
);
const MIN_ENGLISH_WORDS = 2;

/**
 * Translates the normalized words of an English question; unknown words stay, function words are dropped. Undefined if
 * the question is not English.
 */
export function translateEnglishWords(words: readonly string[]): readonly string[] | undefined {
  if (words.filter(word => onlyEnglish.has(word)).length < MIN_ENGLISH_WORDS) return undefined;
  return words.flatMap(word => portuguese.get(word) ?? (onlyEnglish.has(word) ? [] : [word]));
}
