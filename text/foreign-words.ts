/* Questions in English and Spanish about Portuguese knowledge: enough of their words are translated to find a text. */

import { foldTyped } from './typed-words.ts';
import { wordsOf } from './words.ts';

export type ForeignLanguage = 'en' | 'es';

interface Dictionary {
  /** Words that do not occur in Portuguese, which show the language; of Spanish most of the table does. */
  readonly marks: ReadonlySet<string>;
  readonly translations: ReadonlyMap<string, readonly string[]>;
}

/** A single such word may be a name, or borrowed. */
const MIN_MARKS = 2;
const MAX_EXPRESSION = 4;

const ENGLISH_MARKS =
  'the what when where which who how is are was does did can could may my your you i it this that there and of to for from with ' +
  'have has get need want would should much many long please';
/** `written: foreign, foreign`, folded; a foreign one may be several words. What tells nothing of a subject is written as nothing. */
const ENGLISH =
  'biblioteca: library|livro: book|livros: books|retirar: borrow|taxa: fee|taxas: fees|valor: price, cost|custam: costs|pagar: pay|' +
  'pagamento: payment|mensalidade: tuition|gratuito: free|desconto: discount|descontos: discounts|bolsa: scholarship|' +
  'bolsas: scholarships|credito: loan, credit|reembolso: refund|boleto: invoice, slip|segunda via: duplicate|prova: exam|' +
  'provas: exams|vestibular: entrance, admission|nota: grade|notas: grades|aprovacao: pass|faltas: absences|frequencia: attendance|' +
  'aula: class|aulas: classes|semestre: semester, term|comecam: start, starts, begin, begins|terminam: end, ends|feriado: holiday|' +
  'feriados: holidays|sabado: saturday|sabados: saturdays|prazo: deadline|horario atendimento: opening|horario: hours|' +
  'documento: document|documentos: documents|matricula: enroll, enrol, enrollment|' +
  'inscricao: register, registration, apply, application|transferencia: transfer|curso: course, program|cursos: courses, programs|' +
  'direito: law|medicina: medicine|enfermagem: nursing|odontologia: dentistry|psicologia: psychology|engenharia: engineering|' +
  'administracao: business|contabeis: accounting|distancia: distance|endereco: address|endereco fica: where|' +
  'estacionamento: parking|visita: visit|telefone: phone|contato: contact|: office, language, do, in, on|' +
  'secretaria: secretary, registrar|ouvidoria: ombudsman|senha: password|estagio: internship|tcc: thesis|diploma: degree|' +
  'historico: transcript|certificado: certificate|colacao: graduation|trancar: suspend|cancelar: cancel|troca: change|turno: shift|' +
  'aluno: student|alunos: students|carteirinha: card|calouro: freshman|calouros: freshmen|professor: teacher|apoio: support|' +
  'acessibilidade: disability|pos graduacao: postgraduate|ex alunos: alumni|irmaos: siblings|irmao: brother|irma: sister|' +
  'vence: due|atraso: debt, late|multa: fine|juros: interest|como: how|posso: can|tem: have|quanto: much|quantos: many|' +
  'quando: when|segundo: second|renda: income|imposto: tax|informe: report|libras: sign|interprete: interpreter, interpreters|' +
  'parcelas: installments|dividir: split';
const SPANISH =
  ': lo, le, les, se, unas, unos, este, estos, estas, muy, pero, si, ya, soy, estoy, estan, fue, yo, tu, usted, ustedes, nos, ' +
  'nosotros, me, mas, cada, algo, hola, gracias, como, donde, tambien, ahi, fuera, tras|o: el|a: la|os: los|as: las|um: un, uno|' +
  'uma: una|em: en|com: con|do: del|ao: al|meu: mi|meus: mis|seu: su|seus: sus|e: y, es|sao: son|ou: u|ate: hasta|quem: quien, ' +
  'quienes|o que e: que es|o que sao: que son|o que significa: que significa|qual: cual|quais: cuales|quanto: cuanto|' +
  'quanta: cuanta|quantos: cuantos|quantas: cuantas|quando: cuando|endereco fica: donde queda, donde quedan, donde esta, ' +
  'donde estan, donde es|esse: ese, esa, eso, esos, esas, aquel, aquella|mesmo: mismo, misma|outro: otro, otra, otros, otras|' +
  'ele: ella, ello|eles: ellos, ellas|posso: puedo|pode: puede, pueden, podria|tem: hay, tiene, tienen|tenho: tengo|quero: quiero, ' +
  'quisiera|preciso: necesito|faco: hago|fazer: hacer, rendir, rendirlo|devo: debo, debemos|deve: debe, deben|depois: despues, ' +
  'luego|hoje: hoy|ontem: ayer|custa: cuesta|custam: cuestan|sai: sale|saem: salen|valor: precio|taxa: tasa, arancel|' +
  'pagamento: pago|boleto: factura|mensalidade: cuota, mensualidad|desconto: descuento, rebaja|bolsa: beca|bolsista: becario, ' +
  'becado|cartao: tarjeta|dinheiro: dinero, efectivo|divida: deuda, adeudo|acordo: convenio de pago, convenio de pagos, ' +
  'plan de pago, plan de pagos|juros: intereses|atraso: retraso, mora|imposto: impuesto|imposto de renda: impuesto sobre la renta, ' +
  'impuesto a la renta, impuesto a las ganancias|renda: ingresos|baixa renda: bajos ingresos, bajos recursos, escasos recursos|' +
  'salario: sueldo|isencao: exencion|isento: exento, exenta|adiantado: por adelantado, adelantado|emprestimo: prestamo|' +
  'emprestado: prestado|prazo: plazo|data: fecha|demora: tarda, tardan|noite: noche|manha: manana|segunda feira: lunes|' +
  'terca feira: martes|quarta feira: miercoles|quinta feira: jueves|sexta feira: viernes|fim de semana: fin de semana|' +
  'janeiro: enero|fevereiro: febrero|marco: marzo|maio: mayo|junho: junio|julho: julio|setembro: septiembre, setiembre|' +
  'outubro: octubre|novembro: noviembre|dezembro: diciembre|quadrimestre: cuatrimestre|ferias recesso: vacaciones|feriado: festivo|' +
  'comeca: empieza, comienza|comecam: empiezan, comienzan|comecar: empezar, comenzar|fecha: cierra|fecham: cierran|' +
  'inscricao: inscripcion, inscribir, inscribo|matricula: matricular, alumno regular|rematricula: reinscripcion, reinscribir, ' +
  'renovar la matricula|vestibular: examen de ingreso, examen de admision, prueba de ingreso, prueba de admision, ' +
  'prueba de acceso, admision|ingresso: ingreso|ingressante: ingresante|edital: convocatoria|chamada: llamada, llamado|' +
  'vaga: vacante, plaza, cupo|prova: examen, prueba|questao: pregunta|aprovado: aprobar, aprobado, apruebo|reprovar: reprobar, ' +
  'reprobado|nota: puntaje, puntuacion, calificacion|media: promedio|redacao: ensayo|segunda chamada: examen supletorio|' +
  'substitutiva: sustitutivo, supletorio|frequencia: asistencia|falta: inasistencia|faltei: falte|disciplina: materia, asignatura|' +
  'curso: carrera|graduacao: grado, pregrado|pos graduacao: posgrado, postgrado|mestrado: maestria, master|doutorado: doctorado|' +
  'aula: clase|aproveitamento: convalidar, convalido, convalidacion, homologar, homologacion|reconhecer: reconocer, reconocen, ' +
  'reconocido|curriculo: malla, pensum, plan de estudios|diploma: titulo|colacao de grau: graduacion, graduar, graduo, ' +
  'acto de grado, egreso|ex aluno: egresado, exalumno|tcc: tesis, tesina, trabajo de grado, trabajo final, tesis de grado|' +
  'orientador: director de tesis, tutor de tesis|declaracao: constancia|historico: expediente, historial, kardex|' +
  'carteirinha: carne, carnet, credencial|assinatura: firma|assinar: firmar|segunda via: duplicado|estagio: practica, pasantia|' +
  'estagiario: pasante, practicante|pesquisa: investigacion|emprego: empleo|trabalho: trabajo, laboral|trabalhar: trabajar|' +
  'troca: cambio, cambiar|transferencia: traslado, trasladar, pasar a otra, pasarme|trancar: suspender, suspendo, congelar, ' +
  'congelo, cerrar|trancamento: suspension|cancelar: dar de baja, darme de baja, anular|cancelamento: baja|deixar: dejar|' +
  'excluir: quitar|solicitacao: solicitud, tramite|solicitar: solicito|pedir: pido|preencher: llenar, rellenar|entrega: entregan|' +
  'levar: traer, llevar|recurso: impugnacion, apelacion, apelar|reclamacao: reclamo, queja|autorizacao: permiso|aluno: alumno, ' +
  'estudiante|novo: nuevo|antigo: antiguo|professor: profesor, maestro|reitor: rector|irmao: hermano|irma: hermana|filho: hijo|' +
  'filha: hija|mae: madre|pai: padre|conjuge: esposo, esposa|deficiencia: discapacidad|deficiente: discapacitado|' +
  'gestante: embarazada|gravidez: embarazo|estrangeiro: extranjero|exterior: extranjero|pessoa: persona|nome: nombre|' +
  'sobrenome: apellido|idade: edad|livro: libro|retirar: sacar, saco|multa: recargo|caneta: boligrafo, lapicera, birome|' +
  'campus: sede|endereco: direccion, ubicacion|fica: queda|predio: edificio|secretaria: oficina|estacionamento: estacionar, ' +
  'aparcamiento, aparcar|carro: coche|restaurante: comedor|almoco: almuerzo|jantar: cena|moradia: residencia, alojamiento|' +
  'rua: calle|cidade: ciudad|onibus: autobus, colectivo|telefone: telefono|email: correo|site: sitio, sitio web|senha: contrasena, ' +
  'clave|esqueci: olvide|roubo: robo, robaron, robado|acesso: acceso, acceder|apoio: ayuda, apoyo|encontro: encuentro, encuentra|' +
  'ouvidoria: defensoria, defensor|ligar: llamar|falar: hablar|atende: atiende, atienden|agendamento: cita|direito: derecho|' +
  'enfermagem: enfermeria|engenharia: ingenieria|contabeis: contabilidad, contaduria|lingua: lengua|saude: salud|conhecer: conocer|' +
  'validade: validez, vigencia|percentual: porcentaje|lei: ley|primeira: primero, primera|aposentadoria: jubilacion|' +
  'obrigatorio: obligatorio, obligatoria|alocar: asignar, asignan|adicional: extra|gratuito: gratis|doente: enfermo, enferma|' +
  'doenca: enfermedad|animal: mascota|computador: computadora, ordenador|crianca: nino, nina|atestado: certificado medico|' +
  'historico escolar: certificado de notas, certificado de calificaciones, analitico|ter: tener|tempo: tiempo|devolver: devuelvo, ' +
  'devuelve, devuelven|estudo: estudio|cursei: curse|oferecem: ofrece, ofrecen|defesa: defensa|voltar: volver, vuelvo|' +
  'receber: recibir|ganhar: ganar|obter: obtener|morar: vivir, vivo|acontece: pasa, ocurre|fazem: hacen|coordenador: coordinador|' +
  'maior: mayor|melhor: mejor';
/** Words of the table that Portuguese has too, or had: they do not show the language. */
const ALSO_PORTUGUESE =
  'apelar baja beca cada carne cena cerrar cita clase clave como congelar credencial curse defensa es esposa estacionar expediente ' +
  'extra factura fecha firma ganar grado gratis hasta la llamado madre mas master materia matricular mayo me mora nos padre pago ' +
  'pasa pasante queda quitar reclamo residencia sale se sede son suspender tasa titulo traslado vacante vivo volver';

/** How Portuguese spells the ends of the words that it shares with Spanish. */
const spellings: readonly (readonly [spanish: RegExp, portuguese: string])[] = [
  [/ciones$/, 'coes'],
  [/cion$/, 'cao'],
  [/siones$/, 'soes'],
  [/sion$/, 'sao'],
  [/[dt]ad(?:es)?$/, 'dade'],
  [/miento/, 'mento'],
  [/bles?$/, 'vel'],
  [/ajes?$/, 'agem'],
  [/i?ero(s?)$/, 'eiro$1'],
  [/era(s?)$/, 'eira$1'],
  [/ct/, 't'],
];

const dictionaries: Readonly<Record<ForeignLanguage, Dictionary>> = {
  en: dictionaryOf(ENGLISH_MARKS, ENGLISH),
  es: dictionaryOf('', SPANISH),
};
const alsoPortuguese = new Set(ALSO_PORTUGUESE.split(' '));
/** As only Spanish is written. */
const SPANISH_LETTERS = /(?<!\p{L})(?:qué|cómo|cuá|dónde|quién|día|según|también)|[cs]ión(?!\p{L})/giu;

/** What stands within quotation marks, or with a capital elsewhere than at the beginning of a sentence. */
const NAME = /["“«][^"“”«»]*["”»]|(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{N}]*/gu;

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
  const translated: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { length, written } = translationAt(words, at, language);
    translated.push(...written);
    at += length;
  }
  return { language, words: translated };
}

/** The longest expression from here on that is known. */
function translationAt(words: readonly string[], at: number, language: ForeignLanguage) {
  const { marks, translations } = dictionaries[language];
  for (let length = MAX_EXPRESSION; length > 0; length--) {
    const written = translations.get(words.slice(at, at + length).join(' '));
    if (written) return { length, written };
  }
  const word = words[at] ?? '';
  if (marks.has(word)) return { length: 1, written: [] };
  return { length: 1, written: language === 'es' ? spanishFormOf(word) : [word] };
}

/** Of a word that is listed in another form, or is spelled as Portuguese would: `becas`, `inscribirme`, `universidad`. */
function spanishFormOf(word: string): readonly string[] {
  const [listed] = listedFormsOf(word);
  if (listed !== undefined) return dictionaries.es.translations.get(listed) ?? [];
  return [spellings.reduce((form, [from, to]) => form.replace(from, to), baseOf(word))];
}

function listedFormsOf(word: string): string[] {
  const base = baseOf(word);
  return [base, base.replace(/s$/, ''), base.replace(/es$/, '')].filter(form =>
    dictionaries.es.translations.has(form),
  );
}

/** The infinitive without its pronoun. */
function baseOf(word: string): string {
  return word.replace(/(?<=[aei]r)(?:me|te|se|nos|l[aeo]s?)$/, '');
}

function languageOf(question: string, words: readonly string[]): ForeignLanguage | undefined {
  if (/[¿¡]/.test(question)) return 'es';
  // A name says nothing of the language around it: "O que foi o El Niño?", "a palestra “El mundo y la ciudad”".
  const own = question.replaceAll(NAME, ' ');
  const said = /\p{Ll}/u.test(question) ? wordsOf(foldTyped(own)) : words;
  const english = said.filter(word => dictionaries.en.marks.has(word)).length;
  const spanish = said.filter(isSpanish).length + (own.match(SPANISH_LETTERS)?.length ?? 0);
  if (Math.max(english, spanish) < MIN_MARKS) return undefined;
  return english >= spanish ? 'en' : 'es';
}

function isSpanish(word: string): boolean {
  const [listed] = listedFormsOf(word);
  return listed !== undefined && !alsoPortuguese.has(listed);
}

function dictionaryOf(marks: string, table: string): Dictionary {
  const translations = table.split('|').flatMap(line => {
    const [written = '', foreign = ''] = line.split(': ');
    const words = written.split(' ').filter(Boolean);
    return foreign.split(', ').map(expression => [expression, words] as const);
  });
  return { marks: new Set(marks.split(' ')), translations: new Map(translations) };
}
