import type { CallAccount, PlannedCall, SpendLedger } from './call-account.ts';
import type { Spender } from './spender.ts';

/** Of one text: those that a model may add to it. */
const EXTRA_TOKENS = 8;

interface HostPart {
  readonly spender: Spender;
  readonly maxTokens: number;
}

interface SentText {
  readonly text: string;
  readonly spender: Spender | undefined;
}

/**
 * Opens one account for each host whose texts are in the request; texts without a spender are not counted. Rejects with
 * the refusal of the first host that may not spend, after closing the accounts of the others.
 */
export async function openAccounts(
  ledger: SpendLedger,
  call: Pick<PlannedCall, 'model' | 'signal'>,
  texts: readonly SentText[],
): Promise<CallAccount> {
  const parts = partsOf(texts);
  const opened: (HostPart & { readonly account: CallAccount })[] = [];
  try {
    for (const part of parts) {
      const planned = { ...call, purpose: 'embedding', maxTokens: () => part.maxTokens } as const;
      opened.push({ ...part, account: await ledger.open(part.spender, planned) });
    }
  } catch (error) {
    await Promise.all(opened.map(({ account }) => account.settle(0)));
    throw error;
  }
  return {
    async settle(tokens) {
      const shares = tokens === undefined ? [] : sharesOf(tokens, opened);
      await Promise.all(opened.map(({ account }, at) => account.settle(shares[at])));
    },
  };
}

function partsOf(texts: readonly SentText[]): HostPart[] {
  const parts = new Map<string, HostPart>();
  for (const { text, spender } of texts) {
    if (!spender) continue;
    const { maxTokens = 0 } = parts.get(spender.hostId) ?? {};
    const more = Buffer.byteLength(text) + EXTRA_TOKENS;
    parts.set(spender.hostId, { spender, maxTokens: maxTokens + more });
  }
  return [...parts.values()];
}

/** The tokens of a request by the size of the parts; the shares add up to the total. */
function sharesOf(tokens: number, parts: readonly HostPart[]): number[] {
  const total = parts.reduce((sum, { maxTokens }) => sum + maxTokens, 0);
  let size = 0;
  return parts.map(({ maxTokens }) => {
    const before = Math.floor((tokens * size) / total);
    size += maxTokens;
    return Math.floor((tokens * size) / total) - before;
  });
}
