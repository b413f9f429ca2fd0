/** Of the name of a model. */
export const MAX_MODEL_LENGTH = 200;
/** The models that are asked when one fails. */
export const MAX_FALLBACKS = 10;
