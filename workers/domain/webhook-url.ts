import { type EgressRules, urlErrorOf } from './egress-address.ts';

const HIGH_PORTS_FROM = 1_024;

/** Why events must not be sent to this URL, as far as the text alone tells. */
export function webhookUrlErrorOf(text: string, rules: EgressRules): string | undefined {
  const error = urlErrorOf(text, rules);
  if (error) return error;
  const { port, hash } = new URL(text);
  if (hash !== '') return 'must not hold a fragment';
  const isUsual = port === '' || port === '80' || port === '443' || Number(port) >= HIGH_PORTS_FROM;
  return isUsual ? undefined : 'must have port 80, 443 or one above 1023';
}
