/** An error response, in the form that OpenAI's clients parse. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  readonly param?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export function isRefusal(value: object): value is Refusal {
  return 'status' in value && 'code' in value && 'message' in value;
}

export function makeRefusalBody({ status, message, code, param }: Refusal): object {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: param ?? null, code } };
}
