import { foldText } from '../../../text/fold.ts';

/* A cell is known by its form: the cells of a column have one, the values of a list of labels have several, and a name has none. */

export type CellKind =
  | 'empty'
  | 'money'
  | 'percent'
  | 'email'
  | 'address'
  | 'date'
  | 'time'
  | 'phone'
  | 'number'
  | 'quantity'
  | 'text';

const MAX_NAME = 60;
/** As much of a cell as its form is read from: addresses are searched for in quadratic time. */
const SEEN = 120;
const FORMS: readonly (readonly [CellKind, RegExp])[] = [
  ['money', /^[-+(]?\s?(?:R\$|US\$|[$€£])\s?\d|^\d[\d.,]*\s?(?:reais|R\$|€)/i],
  ['email', /^[^\s@]+@[^\s@.]+\.[^\s@]+$|\(mailto:/],
  ['address', /^(?:https?:\/\/|www\.)|\]\(https?:/],
  ['percent', /^[-+]?\d[\d.,]*\s?%/],
  ['date', /^\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?!\d)|^\d{4}-\d\d-\d\d|^\d{1,2}º? de \p{L}/u],
  ['time', /^(?:das )?\d{1,2}(?::\d\d|\s?h(?:\d\d)?)(?![\p{L}\d])/u],
  [
    'phone',
    /^\+?(?:\d{2} )?\(?\d{2}\)?[\s-]?\d{4,5}[\s-]\d{4}$|^\(\d{2}\)\s?\d{4,5}[\s-]?\d{4}$|^0[38]00[\s-]?\d/,
  ],
  ['number', /^[-+]?\d[\d.,]*$/],
  ['quantity', /^\d[\d.,]*\s?(?![ºª])\p{L}/u],
];
/** These stand for a value, in a column of whatever. */
const PLACEHOLDER =
  /^(?:[-–—.*?/]+|n\/?[ad]|nao|sim|isent|gratuit|gratis|livre|nenhum|sem |a (?:definir|combinar|confirmar|consultar)|sob |consult|indefinid|em breve|esgotad|pendente|variavel|inclus|ilimitad|confirm|abert|encerrad|lotad)/;
/** Names of what is told of a course, a service or a place. */
const ATTRIBUTE =
  /^(?:curso|mensalidade|valor|preco|custo|duracao|turno|campus|unidade|polo|modalidade|vagas?|carga horaria|coordena(?:dora?|cao)|nome|telefone|celular|whatsapp|ramal|e-?mail|site|portal|pagina|endereco|rua|cidade|estado|bairro|cep|cnpj|cpf|data|inicio|termino|fim|prazo|periodo|horarios?|local|sala|bloco|predio|setor|departamento|area|grau|titul(?:o|acao)|matricula|rematricula|inscric(?:ao|oes)|taxa|desconto|bolsas?|vencimento|pagamento|forma|contato|responsavel|instituicao|faculdade|disciplina|professora?|nota|conceito|situacao|status|tipo|categoria|descricao|detalhes?|informac(?:ao|oes)|resposta|observac(?:ao|oes)|codigo|requisitos?|pre-?requisitos?|documentos?|publico|idade|semestres?|ano|regime|aulas|atendimento|reitora?|diretora?|quantidade|total|autorizacao|reconhecimento|empresa|razao social|banco|agencia|conta|chave|quando|quanto|quem|onde|ate)(?: (?:d[aeo]s?|por|para|minim[ao]|maxim[ao]|mensal|total|do curso|horaria)(?: \S+){0,3}| ?\(.{1,20}\)| (?:em|ate|na?|no) .{1,30})?$/;

export function kindOfCell(cell: string): CellKind {
  const text = cell.trim().slice(0, SEEN);
  if (text === '') return 'empty';
  if (!/[\d@]|www\.|https?:/i.test(text)) return 'text';
  return FORMS.find(([, form]) => form.test(text))?.[0] ?? 'text';
}

export function isFigure(cell: string): boolean {
  const kind = kindOfCell(cell);
  return kind !== 'empty' && kind !== 'text';
}

/** Whether a cell may be the name of a column or of a value, as it is written: short, with a capital, and no value itself. */
export function isName(cell: string): boolean {
  const text = cell.trim();
  if (text === '' || text.length > MAX_NAME || isFigure(text) || isPlaceholder(text)) return false;
  return /^\P{L}*(?:\p{Lu}|\p{L}+-?\p{Lu})/u.test(text);
}

function isPlaceholder(cell: string): boolean {
  return PLACEHOLDER.test(foldText(cell.trim().slice(0, SEEN)));
}

export function isAttribute(cell: string): boolean {
  return ATTRIBUTE.test(foldText(cell.trim().slice(0, SEEN).replace(/:$/, '').trimEnd()));
}
