/*
 * The job of the queue `documents`: one reading of a document. The workers add it themselves, for each import that has not
 * ended; no request of the API does.
 */

/** In the place of the name of an operation. */
export const DOCUMENT_JOB = 'readDocument';

/** The time limit of the job; far above what the limits of its steps add up to. */
export const DOCUMENT_JOB_MS = 900_000;

export interface DocumentJobBody {
  readonly importId: string;
}
