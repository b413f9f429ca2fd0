import { stemOf } from '../../../text/words.ts';

/*
 * Words that can stand for each other in a question without another answer to it. The synonyms of the search are too wide for
 * that: they find a text about the date of a fine for who asks about the fine.
 */
const SAME = [
  'valor preco custo custar custa custam investimento',
  'lugar endereco local localizacao localizado localizada',
  'duracao durar dura duram',
  'horario horarios',
  'comecar comeco inicio iniciar',
  'terminar termino fim encerrar encerramento acabar',
  'inscrever inscricao',
  'pedir pedido solicitar solicitacao requerer requerimento',
  'mudar mudanca trocar troca alterar alteracao',
  'reembolso reembolsar estorno ressarcimento',
  'enviar envio mandar encaminhar',
  'retirar retirada buscar',
  'levar trazer',
  'emitir emissao gerar',
  'parcelar parcelamento dividir',
  'desconto abatimento',
  'boleto fatura',
  'documento documentacao papelada',
  'gratis gratuito gratuita',
  'aluno estudante discente',
  'professor docente',
  'calouro ingressante',
  'disciplina materia cadeira',
  'formatura colacao',
  'tcc monografia',
  'ferias recesso',
  'noite noturno',
  'manha matutino',
  'tarde vespertino',
  'online virtual',
  'ead distancia',
  'telefone fone',
  'whatsapp whats zap wpp zapzap',
  'carro veiculo',
  'nao nunca jamais nem',
  'so somente apenas',
];
const firstOf = new Map(
  SAME.flatMap(line => {
    const [first = '', ...others] = line.split(' ');
    return [first, ...others].map(word => [stemOf(word), first] as const);
  }),
);

/** A subject: psychology is no psychologist, and physics nothing physical. */
const SUBJECT = /(?:(?:log|gog|nom|graf|sof|metr)ia|ica)s?$/;

export const hasSynonyms = (word: string) => firstOf.has(stemOf(word));

/** One word for all that mean the same, and for their forms. */
export function meaningOf(word: string): string {
  if (SUBJECT.test(word)) return word.replace(/s$/, '');
  const stem = stemOf(word);
  return firstOf.get(stem) ?? stem;
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** They say nothing about what is asked: courtesy, and verbs without a meaning of their own. */
const EMPTY = wordSet(
  'gostaria gostava quero queria queremos saber sabe sabem poderia poderiam pode podem posso podemos consigo consegue conseguir ' +
    'fazer faco faz fazem feito feita realizar efetuar haver existe existem existir possivel permitido oferece oferecem oferecer ' +
    'dar favor gentileza obrigado obrigada informar informe dizer diga explicar atualmente momento exatamente certinho ' +
    'duvida pergunta vou vai vao ir seria possui possuem cobra cobram cobrado fica ficam ficar seriam algum alguma alguns algumas ' +
    'gente pessoal moca moco amigo amiga senhor senhora ok beleza certo desde alo ' +
    'partir qualquer',
);
/** Stop words of the search that change what is asked. */
const TELLING = wordSet(
  'nao nunca nem sem so mesmo mesma tambem ainda ja mais ate como cada sobre sob entre desde',
);
/** They say something only where nothing else is said. */
const VAGUE = wordSet('curso cursos faculdade facul universidade instituicao');
/** What is asked for depends on what was said before. */
const POINTING = wordSet(
  'ele ela eles elas dele dela deles delas nele nela neles nelas isso isto disso disto nisso esse essa esses essas desse dessa ' +
    'desses dessas nesse nessa este esta estes estas deste desta neste nesta aquele aquela aquilo outro outra outros outras la ai',
);

export const isEmpty = (word: string) => EMPTY.has(word);
export const isTelling = (word: string) => TELLING.has(word);
export const isVague = (word: string) => VAGUE.has(word);
export const isPointing = (word: string) => POINTING.has(word);
