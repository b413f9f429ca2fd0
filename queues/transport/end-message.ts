import type { JobReply } from './store.ts';

/** The message about the end of a job: its id, and its sealed reply as JSON unless that must be read. */
export interface EndMessage {
  readonly jobId: string;
  readonly reply: JobReply | undefined;
}

/** Undefined for a message of another sender. Job ids contain no brace. */
export function parseEndMessage(message: string): EndMessage | undefined {
  const start = message.indexOf('{');
  if (start < 0) return { jobId: message, reply: undefined };
  try {
    return { jobId: message.slice(0, start), reply: JSON.parse(message.slice(start)) as JobReply };
  } catch {
    return undefined;
  }
}
