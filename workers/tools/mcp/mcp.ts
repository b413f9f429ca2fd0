import type { Logger } from 'pino';
import { makeSeal, type Seal } from '../../../platform/seal.ts';
import type { McpRules } from '../../domain/mcp-config.ts';
import { isSchema } from '../../domain/schemas/schema-errors.ts';
import type { ToolProvider } from '../tool.ts';
import { makeConnect } from './connection.ts';
import { makeMcpTools } from './offer-tools.ts';
import { makeServerClients } from './server-clients.ts';

export interface McpSettings {
  readonly secretKey: string;
  /** Allows tenants to use private addresses. */
  readonly egressAllowPrivate?: boolean | undefined;
  /** The commands that a configuration may run, each with its complete argument list. */
  readonly mcpStdioAllow?: readonly (readonly string[])[] | undefined;
}

export interface Mcp {
  /** Seals the headers of the configurations. */
  readonly seal: Seal;
  readonly rules: McpRules;
  readonly tools: ToolProvider;
  close(): Promise<void>;
}

export function makeMcp(settings: McpSettings, log: Logger): Mcp {
  const { secretKey, egressAllowPrivate: allowPrivate = false, mcpStdioAllow: stdioAllow = [] } = settings;
  const seal = makeSeal(secretKey, 'mcp header');
  const rules = { allowPrivate, stdioAllow };
  // Compiles the meta-schema now, not while the first turn waits for its tools.
  isSchema({ type: 'object' });
  const servers = makeServerClients(makeConnect(seal, rules), log);
  return {
    seal,
    rules,
    tools: makeMcpTools(servers),
    close: servers.close,
  };
}
