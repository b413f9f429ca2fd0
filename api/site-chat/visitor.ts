import { randomUUID } from 'node:crypto';
import type { Seal } from '../../platform/seal.ts';
import { isUuid } from '../../platform/uuid.ts';

/*
 * Who a visitor of a site is: an id that nobody can guess or make, which is the id of the one conversation that it may read. It is
 * signed for one chat and one origin, so that it is worth nothing elsewhere, and renewed each time that the chat is opened.
 */

/** Where a visitor is valid. */
interface Site {
  readonly publicKey: string;
  readonly origin: string;
}

export interface VisitorSeal {
  /** With `id`: the same visitor for another while. */
  sign(site: Site, now: number, id?: string): string;
  /** Returns the id; undefined if it was made for another site or by somebody else, or is too old. */
  read(text: string, site: Site, now: number): string | undefined;
  /** A name that tells nobody what it stands for. */
  nameOf(value: unknown): string;
}

const VALID_MS = 30 * 86_400_000;
/** A visitor of the future was signed by a `web` whose clock is ahead. */
const CLOCK_TOLERANCE_MS = 300_000;
const form = /^vis_([0-9a-f-]{36})\.(\d{1,15})\.([\w-]{43})$/;

export function makeVisitorSeal(seal: Seal): VisitorSeal {
  const signed = ({ publicKey, origin }: Site, id: string, at: string) => [publicKey, origin, id, at];
  return {
    sign(site, now, id = randomUUID()) {
      const at = String(Math.floor(now));
      return `vis_${id}.${at}.${seal.mac(signed(site, id, at))}`;
    },
    read(text, site, now) {
      const [, id = '', at = '', mac = ''] = form.exec(text) ?? [];
      const age = now - Number(at);
      if (!isUuid(id) || age > VALID_MS || age < -CLOCK_TOLERANCE_MS) return undefined;
      return seal.isMac(mac, signed(site, id, at)) ? id : undefined;
    },
    nameOf: seal.nameOf,
  };
}
