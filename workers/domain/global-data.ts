/** Limits of the data of a conversation: every turn reads all of it. */
export interface GlobalDataLimits {
  readonly names: number;
  /** Length of its JSON. */
  readonly characters: number;
}

/** Why the merged `globalData` exceeds the limits; undefined where it does not. */
export function findGlobalDataFault(
  merged: Readonly<Record<string, unknown>>,
  { names, characters }: GlobalDataLimits,
): string | undefined {
  if (Object.keys(merged).length > names)
    return `has more than ${names} names, with those that the conversation keeps`;
  if (JSON.stringify(merged).length > characters)
    return `is longer than ${characters} characters of JSON, with what the conversation keeps`;
  return undefined;
}
