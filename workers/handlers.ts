import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { findJob } from './jobs/find-job.ts';
import { listAvatars } from './avatars/list-avatars.ts';
import { appendMessage } from './conversations/append-message.ts';
import { createConversation } from './conversations/create-conversation.ts';
import { updateConversation } from './conversations/update-conversation.ts';
import type { Handlers } from './job.ts';
import { makeSeal } from '../queues/seal.ts';
import { listMcpConfigs } from './mcp/list-mcp-configs.ts';
import { saveMcpConfig } from './mcp/save-mcp-config.ts';
import { makeTurnClaims } from './reasoning/claim-turn.ts';
import { makeModel } from './model/model.ts';
import { makeReason } from './reasoning/reason.ts';

export interface HandlerSettings {
  readonly openaiBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiModel?: string | undefined;
  readonly secretKey: string;
  /** Lets addresses that tenants name be private ones. */
  readonly egressAllowPrivate?: boolean | undefined;
  /** The commands that an MCP configuration may run, each as its whole argument list. */
  readonly mcpStdioAllow?: readonly (readonly string[])[] | undefined;
}

/** Who answers what: the one place where operations meet their work. */
export function makeHandlers(
  db: Db,
  settings: HandlerSettings,
  log: Logger,
): { handlers: Handlers; close(): void } {
  const model = makeModel({
    baseURL: settings.openaiBaseUrl,
    apiKey: settings.openaiApiKey,
    defaultModel: settings.openaiModel,
  });
  const claims = makeTurnClaims(db, error =>
    log.warn({ err: error }, 'leases of running turns were not renewed'),
  );
  const mcpSeal = makeSeal(settings.secretKey, 'mcp header');
  const mcpRules = {
    allowPrivate: settings.egressAllowPrivate ?? false,
    stdioAllow: settings.mcpStdioAllow ?? [],
  };
  const handlers: Handlers = {
    reason: makeReason({ db, model, claims, log }),
    createConversation,
    updateConversation,
    appendMessage,
    listAvatars: listAvatars(db),
    findJob: findJob(db),
    saveMcpConfig: saveMcpConfig(mcpSeal, mcpRules),
    listMcpConfigs: listMcpConfigs(db),
  };
  return { handlers, close: claims.close };
}
