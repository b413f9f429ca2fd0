import type { Team } from '../../db/assistants/turn-settings.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { findTeam } from '../domain/flow-steps.ts';
import { describeTeams } from '../domain/prompts/tool-texts.ts';
import type { JsonSchemaObject } from '../tools/tool.ts';

/** How a function that hands over lets the model choose a team. */
export interface TeamChoice {
  /** Follows the description of the function. */
  readonly description: string;
  /** Of its arguments; none is required. */
  readonly properties: Readonly<Record<string, JsonSchemaObject>>;
  /** A handover to a team that is not there is one without a team: nobody's request may get lost. */
  read(args: JsonObject): { readonly teamId?: string };
}

/** The choice is empty where there are no teams. */
export function teamChoiceOf(teams: readonly Team[]): TeamChoice {
  if (teams.length === 0) return { description: '', properties: {}, read: () => ({}) };
  const names = teams.map(({ name }) => name);
  return {
    description: describeTeams(teams),
    properties: { team: { type: 'string', enum: names } },
    read({ team }) {
      const found = typeof team === 'string' ? findTeam(teams, team) : undefined;
      return found ? { teamId: found.id } : {};
    },
  };
}
