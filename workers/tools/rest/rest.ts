import type { RestTool } from '../../../db/assistants/rest-tools.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { makeSeal, type Seal, type SecretKeys } from '../../../platform/seal.ts';
import { type EgressRules, urlErrorOf } from '../../domain/egress-address.ts';
import { isSameHeader } from '../../domain/header-rules.ts';
import { isForPerson, isReading } from '../../domain/rest-tools/read-functions.ts';
import { formatRestAnswer, isRefusal } from '../../domain/rest-tools/rest-answer.ts';
import { authorize, signInsOf, withoutSecrets } from '../../domain/rest-tools/rest-auth.ts';
import type { RestFunction } from '../../domain/rest-tools/rest-function.ts';
import { type RestRequest, requestOf } from '../../domain/rest-tools/rest-request.ts';
import { callErrorOf, isTimeout } from '../call-error.ts';
import {
  type Egress,
  EgressRefusedError,
  type EgressSettings,
  egressRulesOf,
  openEgress,
} from '../egress.ts';
import type { SourceAnswer, SourceCall, SourceLister, ToolSource } from '../outside-tools.ts';
import { openValues } from '../sealed-values.ts';
import { ForeignRedirectError, sendRequest } from './send-request.ts';

export interface Rest {
  readonly seal: Seal;
  readonly rules: EgressRules;
  readonly list: SourceLister;
  close(): Promise<void>;
}

interface Caller {
  readonly seal: Seal;
  readonly rules: EgressRules;
  readonly egress: Egress;
}

/** Connections to one address: one host's calls must not wait for another's at the same one. */
const MAX_CONNECTIONS = 1_000;

export function makeRestSeal(keys: SecretKeys | string): Seal {
  return makeSeal(keys, 'rest secret');
}

export function makeRest(settings: EgressSettings & SecretKeys): Rest {
  const seal = makeRestSeal(settings);
  const rules = egressRulesOf(settings);
  const egress = openEgress({ ...rules, maxConnections: MAX_CONNECTIONS });
  return {
    seal,
    rules,
    list: async ({ restTools, isRehearsal = false }) =>
      restTools.map(tool => sourceOf(tool, { seal, rules, egress }, isRehearsal)),
    close: () => egress.close(),
  };
}

function sourceOf(tool: RestTool, caller: Caller, isRehearsal: boolean): ToolSource {
  const { id, name, unmasked, functions, config } = tool;
  const { baseURL } = config;
  return {
    kind: 'rest',
    name,
    unmasked,
    tools: functions.map(each => ({
      name: each.name,
      description: each.description,
      inputSchema: { ...each.arguments, type: 'object' },
      needsYes:
        isForPerson(each) || (isRehearsal && !isReading(each))
          ? {
              id: JSON.stringify([id, baseURL, each]),
              errorOf: args => errorOf(requestOf(baseURL, each, args)),
            }
          : undefined,
      changes: isReading(each) ? undefined : { toolId: id, function: each.name },
      call: (args, call) => callFunction(caller, { tool, called: each }, args, call),
    })),
    refused: [],
    listedCount: functions.length,
    failureOf: error => ({ ...failureOf(error), isTimedOut: isTimeout(error) }),
  };
}

function errorOf(wanted: ReturnType<typeof requestOf>): string | undefined {
  return 'error' in wanted ? wanted.error : undefined;
}

function failureOf(error: unknown) {
  if (!(error instanceof ForeignRedirectError)) return callErrorOf(error);
  return { status: error.status, error: 'redirected to another address' };
}

interface CalledFunction {
  readonly tool: RestTool;
  readonly called: RestFunction;
}

async function callFunction(
  { seal, rules, egress }: Caller,
  { tool, called }: CalledFunction,
  args: JsonObject,
  { signal, beforeSending, request: { hostId } }: SourceCall,
): Promise<SourceAnswer> {
  const { baseURL } = tool.config;
  // The rules may have changed since it was saved.
  if (urlErrorOf(baseURL, rules)) throw new EgressRefusedError();
  const wanted = requestOf(baseURL, called, args);
  if ('error' in wanted) return { status: 0, text: wanted.error, error: 'the arguments cannot be sent' };
  const secrets = await openValues(seal, { id: tool.id, sealed: tool.sealedSecrets });
  const signIns = signInsOf(tool.config, secrets);
  const headers = withHeaders(wanted.headers, (await beforeSending?.()) ?? {});
  const sign = (url: string) => authorize({ ...wanted, url, headers }, signIns);
  const mayRepeat = isReading(called) && !isForPerson(called);
  const answer = await sendRequest(egress.parsed(hostId), wanted.url, sign, { signal, mayRepeat });
  const text = formatRestAnswer({ ...answer, text: withoutSecrets(answer.text, signIns) }, called.pick);
  const error = isRefusal(answer) ? `refused with ${answer.status}` : undefined;
  return { status: answer.status, text, error };
}

/** A name stands once: two spellings of it would be sent as one list. */
function withHeaders(headers: RestRequest['headers'], added: RestRequest['headers']): RestRequest['headers'] {
  const isKept = ([name]: [string, string]) => !Object.keys(added).some(each => isSameHeader(each, name));
  return { ...Object.fromEntries(Object.entries(headers).filter(isKept)), ...added };
}
