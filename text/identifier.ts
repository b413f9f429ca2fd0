/** The kinds of values that tokens stand for. `LITERAL` is a text that looks like a token and is none. */
export const identifierKinds = [
  'CPF',
  'CNPJ',
  'TELEFONE',
  'EMAIL',
  'CEP',
  'PIX',
  'BOLETO',
  'CARTAO',
  'LITERAL',
] as const;

export type IdentifierKind = (typeof identifierKinds)[number];

/** An identifier in a text. */
export interface Identifier {
  readonly kind: IdentifierKind;
  /** Equal for all spellings of one value. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}
