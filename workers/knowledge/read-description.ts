import { fieldError, type Rule } from '../../platform/field-error.ts';
import { MAX_DESCRIPTION_BYTES } from '../../queues/contract/body-limit.ts';
import type { UnreadableReason } from '../../queues/contract/operations/document-shape.ts';
import type { DescriptionReader } from '../domain/rest-tools/described-choice.ts';
import { HostGate } from '../runtime/host-gate.ts';
import type { Egress } from '../tools/egress.ts';
import { UnreadableError } from './document-kind.ts';
import { fetchBytes } from './fetch-source.ts';
import { openParser, type ParserLimits, parserLimits } from './open-parser.ts';

/** Each has a process of its own. A host has one at a time, so that its slow files keep no other host waiting. */
const READ_AT_A_TIME = { maxTotal: 4, maxPerKey: 1 };
/** The slowest of 5 MiB took 6 s. */
const limits: ParserLimits = { ...parserLimits, timeoutMs: 30_000, processorMsOf: () => 15_000 };

/** Reads descriptions as documents are read: fetched by the one way to a tenant's address, and parsed in a process of their own. */
export function makeDescriptionReader(
  egress: Egress,
  parserProgram: readonly string[] | undefined,
): DescriptionReader {
  const gate = new HostGate(READ_AT_A_TIME);
  const files = egress.files(MAX_DESCRIPTION_BYTES);
  return async ({ hostId, signal, lendSlot }, sent, use) =>
    gate.run({ key: hostId, signal, lendSlot }, async () => {
      const parser = openParser(limits, parserProgram);
      try {
        const fetched = 'address' in sent ? await fetchBytes(files, sent.address, signal) : undefined;
        const bytes = fetched?.bytes ?? ('bytes' in sent ? sent.bytes : new Uint8Array());
        const request = { kind: 'text', bytes, description: use } as const;
        const read = await parser.read(request, { signal, onPage: () => {} });
        if (!('description' in read)) throw new UnreadableError('broken');
        if (Array.isArray(read.description) || !fetched) return read.description;
        return { ...read.description, baseURLs: resolveAll(read.description.baseURLs, fetched.url) };
      } catch (error) {
        if (error instanceof UnreadableError) return [fieldError('openapi', ruleOf(error.reason))];
        throw error;
      } finally {
        parser.close();
      }
    });
}

/** As OpenAPI says, a server may be relative to the address of its description. */
function resolveAll(urls: readonly string[], address: string): string[] {
  return urls.map(url => (URL.canParse(url, address) ? new URL(url, address).href.replace(/\/$/, '') : url));
}

function ruleOf(reason: UnreadableReason): Rule {
  if (reason === 'address-refused') return 'private-address';
  if (reason === 'unreachable' || reason === 'gone') return 'unreachable';
  return reason.startsWith('too-') ? 'too-large' : 'unreadable';
}
