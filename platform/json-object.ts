/** A JSON object whose fields are not checked. */
export type JsonObject = Readonly<Record<string, unknown>>;
