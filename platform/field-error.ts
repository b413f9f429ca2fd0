/** An invalid field. Messages never contain its value. */
export interface FieldError {
  /** A field name or a JSON pointer; '' is the whole object. */
  readonly path: string;
  readonly message: string;
}

/** At most this many field errors are listed, in responses, logs and answers to a model. */
export const MAX_FIELD_ERRORS = 20;

export function limitFieldErrors(errors: readonly FieldError[]): FieldError[] {
  return errors.slice(0, MAX_FIELD_ERRORS);
}

/** An invalid setting: a restart does not help, an operator must change it. */
export class SettingError extends Error {}

/** Exit code for an invalid setting: EX_CONFIG of sysexits.h. */
export const WRONG_SETTING_CODE = 78;
