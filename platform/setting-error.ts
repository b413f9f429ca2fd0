/** An invalid setting: a restart does not help, an operator must change it. */
export class SettingError extends Error {}

/** Exit code for an invalid setting: EX_CONFIG of sysexits.h. */
export const WRONG_SETTING_CODE = 78;
