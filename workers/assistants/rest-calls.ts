import { listRestCalls as listCalls, noteCall } from '../../db/assistants/rest-calls.ts';
import { findRestTool } from '../../db/assistants/rest-tools.ts';
import { findHost } from '../../db/hosts/hosts.ts';
import { runInSpan } from '../../platform/span.ts';
import { failure, fieldFailure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { makeMasking, NO_MASKING } from '../domain/masking/masking.ts';
import { isReading } from '../domain/rest-tools/read-functions.ts';
import { HostGate, refuseBusyHost } from '../runtime/host-gate.ts';
import type { Handler, JobOf } from '../runtime/job.ts';
import type { ToolProvider, ToolResult } from '../tools/tool.ts';

type Tried = DataOf<'tryRestTool'>;

/** A system may be slow: what waits for it holds a slot of all hosts. */
const AT_A_TIME = { maxTotal: 16, maxPerKey: 2 };
/** Of the request's time, to store how the call ended. */
const RESERVE_MS = 2_000;

interface Parts {
  onToolRun(run: { readonly kind: 'rest'; readonly status: string }): void;
  /** Of REST tools alone. */
  readonly tools: ToolProvider;
}

export function makeTryRestTool(parts: Parts): Handler<'tryRestTool'> {
  const gate = new HostGate(AT_A_TIME);
  return job =>
    gate
      .run({ key: job.hostId, signal: job.signal, lendSlot: job.lendSlot }, () => tryOnce(job, parts))
      .catch(refuseBusyHost);
}

async function tryOnce(job: JobOf<'tryRestTool'>, parts: Parts): Promise<Outcome<Tried>> {
  // An earlier request with its key may have made the call.
  const earlier = await job.findCheckedReply();
  if (earlier) return earlier as Outcome<Tried>;
  const { toolId, function: name } = job.body;
  const found = await job.read(async scope => {
    const tool = await findRestTool(scope, toolId);
    const host = await findHost(scope);
    return tool && host ? { code: 200, data: { tool, host } } : failure('rest-tool-not-found');
  });
  if (isFailure(found)) return found;
  const { tool, host } = found.data;
  const called = tool.functions.find(each => each.name === name);
  if (!called) return fieldFailure('function', 'unknown', 'names no function of the tool');
  // The run before may have made the call.
  if (job.isRerun && !isReading(called)) return failure('interrupted');
  const limits = { signal: job.signal, remainingMs: job.remainingMs() - RESERVE_MS };
  const { tools } = await parts.tools({
    ...limits,
    hostId: job.hostId,
    hostSlug: host.slug,
    mcpConfigs: [],
    // Who tries it has said yes.
    restTools: [{ ...tool, functions: [{ ...called, confirm: 'none' }] }],
    maxTools: 1,
    conversationId: '',
    userName: '',
    masking: host.mask ? makeMasking() : NO_MASKING,
  });
  const [offered] = tools;
  if (!offered) throw new Error('a function of a REST tool is always offered');
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': offered.name };
  const isFailed = (result: ToolResult) => result.isError === true;
  const result = await runInSpan(`execute_tool ${offered.name}`, { attributes, isFailed }, () =>
    offered.run(job.body.arguments, limits),
  );
  const status = result.isTimedOut ? 'timed out' : result.isError ? 'failed' : 'done';
  parts.onToolRun({ kind: 'rest', status });
  const [made] = result.externalCalls ?? [];
  if (!made) throw new Error('a call of a REST tool is always noted');
  const { name: _, ...ended } = made;
  return job.commit(async scope => {
    await noteCall(scope, toolId, { function: name, ...ended });
    return { code: 200, data: { ...ended, text: result.text } };
  });
}

const DEFAULT_LIMIT = 20;

export const listRestCalls: Handler<'listRestCalls'> = ({ body: { toolId, limit = DEFAULT_LIMIT }, read }) =>
  read(async scope => {
    const tool = await findRestTool(scope, toolId);
    if (!tool) return failure('rest-tool-not-found');
    return { code: 200, data: await listCalls(scope, tool, limit) };
  });
