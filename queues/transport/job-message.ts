import type { RequesterMessage } from './queue-calls.ts';
import type { EndListener, JobReply } from './store.ts';

/*
 * The messages about jobs on the channels of requesters. Job ids are letters and digits.
 *
 *   <job id>             it ended; its reply must be read
 *   <job id>{...}        it ended, with its sealed reply as JSON
 *   <job id>+<piece>     it runs, with a sealed piece of its answer
 */

export function formatPieceMessage(requester: string, jobId: string, piece: string): RequesterMessage {
  return { requester, text: `${jobId}+${piece}` };
}

/** Ignores messages of other senders. */
export function receiveMessage(message: string, listener: EndListener): void {
  const [jobId = ''] = message.split(/[{+]/, 1);
  const rest = message.slice(jobId.length);
  if (rest.startsWith('+')) listener.notePiece(jobId, rest.slice(1));
  else if (rest === '') listener.noteEnd(jobId, undefined);
  else {
    const reply = parseReply(rest);
    if (reply) listener.noteEnd(jobId, reply);
  }
}

function parseReply(json: string): JobReply | undefined {
  try {
    return JSON.parse(json) as JobReply;
  } catch {
    return undefined;
  }
}
