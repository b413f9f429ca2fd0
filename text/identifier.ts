/** Kinds of values that tokens replace. `LITERAL` is a text that only looks like a token. */
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

export interface Identifier {
  readonly kind: IdentifierKind;
  /** Equal for all spellings of one value. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}
