/** A setting that no restart makes right: it is to be changed by a person first. */
export class SettingError extends Error {}

/** How a process ends for one; of sysexits.h, where it is called EX_CONFIG. */
export const WRONG_SETTING_CODE = 78;
