import type { Team } from '../../db/assistants/turn-settings.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { linkSignals, whenAborted } from '../../platform/link-signals.ts';
import { runInSpan } from '../../platform/span.ts';
import { startStopwatch } from '../../platform/stopwatch.ts';
import { toolNameOf } from '../domain/prompts/offered-tool.ts';
import {
  CALL_FAILED,
  CALL_TIMED_OUT,
  CLOSE_DESCRIPTION,
  CONVERSATION_CLOSES,
  formatError,
  formatInvalidArguments,
  HELP_DESCRIPTION,
  NO_RESULT,
  TEAM_CALLED,
  TICKET_DESCRIPTION,
  TICKET_EXISTS,
  TICKET_OPENED,
  UNKNOWN_TOOL,
} from '../domain/prompts/tool-texts.ts';
import { toolArgumentsOf, truncateForModel } from '../domain/schemas/known-arguments.ts';
import { argumentErrorsOf } from '../domain/schemas/schema-errors.ts';
import type { ToolCall } from '../model/provider.ts';
import {
  type ExternalCall,
  type JsonSchemaObject,
  outsideKinds,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../tools/tool.ts';
import { type TeamChoice, teamChoiceOf } from './team-choice.ts';
import { type Effects, type HelpReason, helpReasons, type ToolRun } from './turn.ts';

/** A tool of a turn. Its effects are returned, and applied when the answer is committed. */
export interface TurnTool extends Tool {
  run(args: JsonObject, context: ToolContext): Promise<TurnToolResult>;
}

export interface TurnToolResult extends ToolResult {
  readonly effects?: Partial<Effects>;
}

export interface ToolCallResult {
  readonly text: string;
  readonly run: ToolRun;
  readonly externalCalls: readonly ExternalCall[];
  readonly effects: Partial<Effects>;
}

export type Toolbox = ReadonlyMap<string, TurnTool>;

interface ToolOutcome extends TurnToolResult {
  readonly status: ToolRun['status'];
}

const MAX_RESULT_LENGTH = 20_000;

export interface CallListener {
  /** Awaited before an agent or a tool outside of the turn runs. If it rejects, the tool does not run and the turn ends. */
  beforeActing(): Promise<void>;
  onBug(error: unknown, tool: string): void;
}

/** A failed call becomes an error text for the model; rejects only when the turn itself is aborted, or may not act. */
export async function callTool(
  toolbox: Toolbox,
  call: ToolCall,
  context: ToolContext & { readonly round: number },
  listener: CallListener,
): Promise<ToolCallResult> {
  const stopwatch = startStopwatch();
  const tool = toolbox.get(call.name);
  // The model may write any name, so only known ones are used.
  const name = tool?.name ?? 'unknown';
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
  const {
    text,
    status,
    externalCalls = [],
    effects = {},
  } = await runInSpan(
    `execute_tool ${name}`,
    { attributes, isFailed: result => result.status !== 'done' },
    () => runTool(tool, call, context, listener),
  );
  return {
    text: truncateForModel(text, MAX_RESULT_LENGTH) || NO_RESULT,
    run: {
      name: truncateForModel(call.name, 64),
      kind: tool?.kind ?? 'unknown',
      round: context.round,
      startedAt: stopwatch.startedAt.toISOString(),
      durationMs: stopwatch.elapsedMs(),
      status,
    },
    externalCalls,
    effects,
  };
}

async function runTool(
  tool: TurnTool | undefined,
  call: ToolCall,
  context: ToolContext,
  listener: CallListener,
): Promise<ToolOutcome> {
  if (!tool) return refuseCall(UNKNOWN_TOOL);
  const parsed = toolArgumentsOf(call.arguments);
  if ('error' in parsed) return refuseCall(parsed.error);
  if (mayAct(tool)) await listener.beforeActing();
  const limit = AbortSignal.timeout(Math.max(Math.round(context.remainingMs), 1));
  using linked = linkSignals(context.signal, limit);
  const { signal } = linked;
  try {
    // A tool that ignores its signal must not block the turn.
    const result = await Promise.race([tool.run(parsed.args, { ...context, signal }), whenAborted(signal)]);
    return { ...result, status: result.isTimedOut ? 'timed out' : result.isError ? 'failed' : 'done' };
  } catch (error) {
    context.signal.throwIfAborted();
    if (limit.aborted) return { text: formatError(CALL_TIMED_OUT), status: 'timed out' };
    listener.onBug(error, tool.name);
    return { text: formatError(CALL_FAILED), status: 'failed' };
  }
}

/** The other tools only note what the answer will do when it is committed. */
function mayAct({ kind }: Tool): boolean {
  return kind === 'agent' || outsideKinds.some(outside => outside === kind);
}

function refuseCall(error: string): ToolOutcome {
  return { text: formatError(error), status: 'refused' };
}

/** Gives each tool a unique name; of two with the same name the first keeps it. */
export function toolboxOf(tools: readonly TurnTool[]): Toolbox {
  const toolbox = new Map<string, TurnTool>();
  for (const tool of tools) {
    const name = toolNameOf(tool.name, taken => toolbox.has(taken));
    toolbox.set(name, { ...tool, name });
  }
  return toolbox;
}

/** Functions that every turn offers, whatever its flow. */
export function makeBuiltInTools(teams: readonly Team[]): TurnTool[] {
  return [makeHelpTool(teamChoiceOf(teams)), makeTicketTool(), makeCloseTool()];
}

function makeHelpTool(choice: TeamChoice): TurnTool {
  const reasons = { reason: { type: 'string', enum: [...helpReasons] } };
  const makeFor = (team: unknown) =>
    makeBuiltInTool({
      name: 'ask_human_help',
      description: HELP_DESCRIPTION + choice.description,
      parameters: objectOf(reasons),
      run({ reason }) {
        const handover = { by: 'model', reason: reason as HelpReason, ...choice.read({ team }) } as const;
        return { text: TEAM_CALLED, effects: { handover } };
      },
    });
  const tool = makeFor(undefined);
  return {
    ...tool,
    parameters: { ...tool.parameters, properties: { ...reasons, ...choice.properties } },
    run: ({ team, ...args }, context) => makeFor(team).run(args, context),
  };
}

function makeTicketTool(): TurnTool {
  let isOpened = false;
  return makeBuiltInTool({
    name: 'open_ticket',
    description: TICKET_DESCRIPTION,
    parameters: objectOf({
      subject: { type: 'string', minLength: 1, maxLength: 300 },
      description: { type: 'string', minLength: 1, maxLength: 10_000 },
    }),
    run({ subject, description }) {
      if (isOpened) return { text: formatError(TICKET_EXISTS), isError: true };
      isOpened = true;
      const ticket = { subject: String(subject), description: String(description) };
      return { text: TICKET_OPENED, effects: { ticket } };
    },
  });
}

function makeCloseTool(): TurnTool {
  return makeBuiltInTool({
    name: 'close_conversation',
    description: CLOSE_DESCRIPTION,
    parameters: objectOf({}),
    run() {
      return { text: CONVERSATION_CLOSES, effects: { closes: true } };
    },
  });
}

interface BuiltInTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchemaObject;
  run(args: JsonObject): TurnToolResult;
}

function makeBuiltInTool({ run, ...tool }: BuiltInTool): TurnTool {
  return {
    ...tool,
    kind: 'built-in',
    async run(args) {
      const [error] = argumentErrorsOf(tool.parameters, args);
      if (error) return { text: formatInvalidArguments(error.path, error.message), isError: true };
      return run(args);
    },
  };
}

/** A strict schema: every property is required and no other is allowed. */
function objectOf(properties: Readonly<Record<string, JsonSchemaObject>>): JsonSchemaObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
