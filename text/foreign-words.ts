/* Questions in English and Spanish about Portuguese knowledge: enough of their words are translated to find a text. */

import { foldTyped } from './typed-words.ts';
import { wordsOf } from './words.ts';

export type ForeignLanguage = 'en' | 'es';

interface Dictionary {
  /** Words that do not occur in Portuguese, which show the language. */
  readonly marks: ReadonlySet<string>;
  readonly translations: ReadonlyMap<string, readonly string[]>;
}

/** A single such word may be a name, or borrowed. */
const MIN_MARKS = 2;

const ENGLISH_MARKS =
  'the what when where which who how is are was does did can could may my your you i it this that there and of to for from with ' +
  'have has get need want would should much many long please';
const ENGLISH =
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
  'parking estacionamento|visit visita|phone telefone|contact contato|office|secretary secretaria|registrar secretaria|' +
  'ombudsman ouvidoria|password senha|internship estagio|thesis tcc|degree diploma|transcript historico|certificate certificado|' +
  'graduation colacao|suspend trancar|cancel cancelar|change troca|shift turno|student aluno|students alunos|card carteirinha|' +
  'freshman calouro|freshmen calouros|teacher professor|support apoio|disability acessibilidade|postgraduate pos graduacao|' +
  'alumni ex alunos|siblings irmaos|brother irmao|sister irma|due vence|debt atraso|late atraso|fine multa|interest juros|credit credito|' +
  'how como|can posso|have tem|much quanto|many quantos|when quando|second segundo|income renda|tax imposto|report informe|sign libras|' +
  'interpreter interprete|interpreters interprete|installments parcelas|split dividir|language|do|in|on';
const SPANISH_MARKS =
  'cual cuales cuanto cuanta cuantos cuantas cuando donde quien quienes el los las del en con y mi mis su hay puedo puede pueden tengo ' +
  'tiene tienen necesito quiero cuesta cuestan descuento mensualidad hermano hermanos libro libros';
const SPANISH =
  'cual qual|puedo posso|puede pode|hay tem|cuales quais|cuanto quanto|cuanta quanta|cuantos quantos|cuantas quantas|cuando quando|donde endereco fica|' +
  'cuesta custa|cuestan custam|precio valor|tasa taxa|mensualidad mensalidade|mensualidades mensalidades|cuota mensalidade|' +
  'cuotas mensalidades|pago pagamento|descuento desconto|descuentos descontos|beca bolsa|becas bolsas|hermano irmao|hermana irma|' +
  'hermanos irmaos|libro livro|libros livros|llevar retirar|sacar retirar|cierra fecha|estacionamiento estacionamento|' +
  'direccion endereco|queda fica|telefono telefone|correo email|oficina|derecho direito|enfermeria enfermagem|' +
  'ingenieria engenharia|clase aula|clases aulas|examen prova|examenes provas|ingreso vestibular|admision vestibular|' +
  'inscripcion inscricao|inscribirme inscricao|matricularme matricula|plazo prazo|asistencia frequencia|titulo diploma|' +
  'carne carteirinha|carrera curso|carreras cursos|posgrado pos graduacao|empiezan comecam|comienzan comecam|empieza comeca|' +
  'duplicado segunda via|retraso atraso|deuda divida|ayuda apoio|contrasena senha|pasantia estagio|practicas estagio|' +
  'estudiante aluno|estudiantes alunos|gratis gratuito|festivos feriados|cerrar trancar|defensoria ouvidoria';

const dictionaries: Readonly<Record<ForeignLanguage, Dictionary>> = {
  en: dictionaryOf(ENGLISH_MARKS, ENGLISH),
  es: dictionaryOf(SPANISH_MARKS, SPANISH),
};

export interface PortugueseWords {
  /** Normalized; words without a translation stay, except those that only show the language. */
  readonly words: readonly string[];
  /** The language of the question; undefined for Portuguese, and in doubt. */
  readonly language?: ForeignLanguage;
}

export function toPortuguese(question: string): PortugueseWords {
  const words = wordsOf(foldTyped(question));
  const language = languageOf(question, words);
  if (!language) return { words };
  const { marks, translations } = dictionaries[language];
  return {
    language,
    words: words.flatMap(word => translations.get(word) ?? (marks.has(word) ? [] : [word])),
  };
}

function languageOf(question: string, words: readonly string[]): ForeignLanguage | undefined {
  if (question.includes('¿')) return 'es';
  const marksOf = (language: ForeignLanguage) =>
    words.filter(word => dictionaries[language].marks.has(word)).length;
  const [english, spanish] = [marksOf('en'), marksOf('es')];
  if (Math.max(english, spanish) < MIN_MARKS) return undefined;
  return english >= spanish ? 'en' : 'es';
}

function dictionaryOf(marks: string, pairs: string): Dictionary {
  const translations = pairs.split('|').map(pair => {
    const [foreign = '', ...words] = pair.split(' ');
    return [foreign, words] as const;
  });
  return { marks: new Set(marks.split(' ')), translations: new Map(translations) };
}
