/** How much a conversation may keep: every turn of it reads all of that. */
export interface GlobalDataLimits {
  readonly names: number;
  /** Of its JSON. */
  readonly characters: number;
}

/** What is wrong with the `globalData` that a conversation would keep; undefined where nothing is. */
export function globalDataFault(
  merged: Readonly<Record<string, unknown>>,
  { names, characters }: GlobalDataLimits,
): string | undefined {
  if (Object.keys(merged).length > names)
    return `has more than ${names} names, with those that the conversation keeps`;
  if (JSON.stringify(merged).length > characters)
    return `is longer than ${characters} characters of JSON, with what the conversation keeps`;
  return undefined;
}
