import type { JsonObject } from '../../platform/json-object.ts';
import {
  CLOSE_DESCRIPTION,
  CONVERSATION_CLOSES,
  HELP_DESCRIPTION,
  TEAM_CALLED,
  TICKET_DESCRIPTION,
  TICKET_EXISTS,
  TICKET_OPENED,
} from '../domain/prompts/built-in-tool-texts.ts';
import { formatError, formatInvalidArguments } from '../domain/prompts/tool-texts.ts';
import { findArgumentErrors } from '../domain/schemas/schema-errors.ts';
import type { JsonSchemaObject, Tool, ToolResult } from '../tools/tool.ts';
import { type Effects, type HelpReason, helpReasons } from './effects.ts';

/** Functions that every turn offers, whatever its flow. */
export function makeBuiltInTools(effects: Effects): Tool[] {
  return [makeHelpTool(effects), makeTicketTool(effects), makeCloseTool(effects)];
}

function makeHelpTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'ask_human_help',
    description: HELP_DESCRIPTION,
    parameters: objectOf({ reason: { type: 'string', enum: [...helpReasons] } }),
    run({ reason }) {
      effects.handover ??= { by: 'model', reason: reason as HelpReason };
      return TEAM_CALLED;
    },
  });
}

function makeTicketTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'open_ticket',
    description: TICKET_DESCRIPTION,
    parameters: objectOf({
      subject: { type: 'string', minLength: 1, maxLength: 300 },
      description: { type: 'string', minLength: 1, maxLength: 10_000 },
    }),
    run({ subject, description }) {
      if (effects.ticket) return { text: formatError(TICKET_EXISTS), isError: true };
      effects.ticket = { subject: String(subject), description: String(description) };
      return TICKET_OPENED;
    },
  });
}

function makeCloseTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'close_conversation',
    description: CLOSE_DESCRIPTION,
    parameters: objectOf({}),
    run() {
      effects.closes = true;
      return CONVERSATION_CLOSES;
    },
  });
}

type BuiltInTool = Pick<Tool, 'name' | 'description' | 'parameters'> & {
  run(args: JsonObject): string | ToolResult;
};

function makeBuiltInTool({ run, ...tool }: BuiltInTool): Tool {
  return {
    ...tool,
    kind: 'built-in',
    async run(args) {
      const [error] = findArgumentErrors(tool.parameters, args);
      if (error) return { text: formatInvalidArguments(error.path, error.message), isError: true };
      const result = run(args);
      return typeof result === 'string' ? { text: result } : result;
    },
  };
}

/** A strict schema: every property is required and no other is allowed. */
function objectOf(properties: Readonly<Record<string, JsonSchemaObject>>): JsonSchemaObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
