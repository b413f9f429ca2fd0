/** Clients of OpenAI take `/v1` as their base URL. */
export const CHAT_PATH = '/v1/chat/completions';
