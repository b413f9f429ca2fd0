import { readUpload } from '../../db/knowledge/document-uploads.ts';
import { limitFieldErrors } from '../../platform/field-error.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type {
  DescriptionReader,
  DescriptionUse,
  SentDescription,
} from '../domain/rest-tools/described-choice.ts';
import type { DescribedSystem } from '../domain/rest-tools/read-openapi.ts';
import type { Handler, JobOf } from '../runtime/job.ts';

/** A request that may have an OpenAPI file. */
type DescriptionJob = Pick<
  JobOf<'readOpenApi'>,
  'hostId' | 'signal' | 'lendSlot' | 'description' | 'read'
> & { readonly body: { readonly openapi?: string | undefined } };

/** Reads the file of a request, which has one. */
export async function readSystem(
  job: DescriptionJob,
  readDescription: DescriptionReader,
  use: DescriptionUse,
): Promise<Outcome<DescribedSystem>> {
  const sent = await sentOf(job);
  if (isFailure(sent)) return sent;
  const system = await readDescription(job, sent.data, use);
  if (Array.isArray(system)) return failure('body-invalid', { fields: limitFieldErrors(system) });
  return { code: 200, data: system };
}

async function sentOf({
  description,
  body: { openapi = '' },
  read,
}: DescriptionJob): Promise<Outcome<SentDescription>> {
  if (description)
    return read(async scope => {
      const bytes = await readUpload(scope, description.id);
      // A purge deletes what waits too long in the queue.
      return bytes ? { code: 200, data: { bytes } } : failure('interrupted');
    });
  const data = /^https?:/i.test(openapi) ? { address: openapi } : { bytes: Buffer.from(openapi) };
  return { code: 200, data };
}

export function makeReadOpenApi(readDescription: DescriptionReader): Handler<'readOpenApi'> {
  return async job => {
    const system = await readSystem(job, readDescription, { kind: 'list' });
    if (isFailure(system)) return system;
    const { baseURLs, auth, functions, left } = system.data;
    return {
      code: 200,
      data: {
        baseURLs: [...baseURLs],
        auth: [...auth],
        functions: functions.map(({ name, description, method, path }) => ({
          name,
          description,
          method,
          path,
        })),
        left: left.map(({ path, rule, message }) => ({ path, rule, message })),
      },
    };
  };
}
