/* What the model is told about the arguments that it wrote, and about results that were cut. */

export const NOT_JSON = 'os argumentos não são JSON';
export const NOT_AN_OBJECT = 'os argumentos não são um objeto JSON';
export const TOO_DEEP = 'os argumentos têm níveis demais';
export const CUT_OFF = '(cortado)';
