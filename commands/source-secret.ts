import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { secretLabelOf } from '../api/signed-intake/signature-check.ts';
import { STANDARD_PREFIX } from '../api/signed-intake/signed-content.ts';
import type { SignatureScheme } from '../db/intake/crm-sources.ts';
import { readConfig } from '../platform/config.ts';
import { makeSeal } from '../platform/seal.ts';
import { findSecretKey } from './find-secret-key.ts';

/** The length of a generated secret; Standard Webhooks allows 24 to 64 bytes. */
const SECRET_BYTES = 32;

export interface SourceSecret {
  readonly text: string;
  /** Whether it was made here, and nobody else knows it. */
  readonly isNew: boolean;
}

/** Takes the secret of the file, or a new one; throws where it does not fit the scheme. HubSpot makes its own. */
export async function chooseSecret(scheme: SignatureScheme, file: string | undefined): Promise<SourceSecret> {
  if (file !== undefined) return { text: checkSecret(scheme, await readSecret(file)), isNew: false };
  if (scheme === 'hubspot') throw new Error('Give the client secret of the HubSpot app in --secret-file.');
  const bytes = randomBytes(SECRET_BYTES);
  const text =
    scheme === 'standard' ? `${STANDARD_PREFIX}${bytes.toString('base64')}` : bytes.toString('hex');
  return { text, isNew: true };
}

/** Encrypted for the database. */
export async function sealSecret({ text }: SourceSecret, sourceId: string): Promise<string> {
  return makeSeal(await findSecretKey(readConfig()), 'source secret').seal(text, secretLabelOf(sourceId));
}

async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} cannot be read.`);
  });
  return text.trim();
}

function checkSecret(scheme: SignatureScheme, text: string): string {
  if (scheme !== 'standard') {
    if (text.length >= 16 && text.length <= 500) return text;
    throw new Error('A secret has 16 to 500 characters.');
  }
  const bytes = Buffer.from(text.slice(STANDARD_PREFIX.length), 'base64').length;
  const isSecret = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytes >= 24 && bytes <= 64;
  if (!isSecret)
    throw new Error(`A secret of Standard Webhooks is ${STANDARD_PREFIX} and 24 to 64 bytes in base64.`);
  return text;
}
