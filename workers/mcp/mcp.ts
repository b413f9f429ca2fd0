import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { makeSeal } from '../../queues/seal.ts';
import { schemaFormProblems } from '../domain/schema-problems.ts';
import type { Handlers } from '../job.ts';
import type { ToolProvider } from '../tool.ts';
import { makeConnect } from './connection.ts';
import { makeKeptServers } from './kept-servers.ts';
import { listMcpConfigs } from './list-mcp-configs.ts';
import { makeMcpTools } from './offer-tools.ts';
import { saveMcpConfig } from './save-mcp-config.ts';

export interface McpSettings {
  readonly secretKey: string;
  /** Lets addresses that tenants name be private ones. */
  readonly egressAllowPrivate?: boolean | undefined;
  /** The commands that a configuration may run, each as its whole argument list. */
  readonly mcpStdioAllow?: readonly (readonly string[])[] | undefined;
}

export interface Mcp {
  readonly handlers: Pick<Handlers, 'saveMcpConfig' | 'listMcpConfigs'>;
  readonly tools: ToolProvider;
  close(): Promise<void>;
}

export function makeMcp(db: Db, settings: McpSettings, log: Logger): Mcp {
  const { secretKey, egressAllowPrivate: allowPrivate = false, mcpStdioAllow: stdioAllow = [] } = settings;
  const seal = makeSeal(secretKey, 'mcp header');
  const rules = { allowPrivate, stdioAllow };
  // What schemas are held against is made ready now, not while the first turn waits for its tools.
  schemaFormProblems({ type: 'object' });
  const servers = makeKeptServers(makeConnect(seal, rules), log);
  return {
    handlers: { saveMcpConfig: saveMcpConfig(seal, rules), listMcpConfigs },
    tools: makeMcpTools(db, servers),
    close: servers.close,
  };
}
