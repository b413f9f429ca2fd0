/**
 * The console kept an avatar for the rehearsals of another one, with that one's id in its slug. People who choose a slug
 * write no such id; what one of them may have given an avatar all the same (its own MCP servers, evaluation cases) keeps it.
 */
export const dropTrialAvatars = `
  delete from avatars trial using avatars rehearsed
  where rehearsed.host_id = trial.host_id and trial.sub_slug = 'ensaio-' || rehearsed.id::text
    and rehearsed.created_at <= trial.created_at
    and not exists (
      select from mcp_configs used where used.host_id = trial.host_id and used.avatar_id = trial.id
    )
    and not exists (
      select from evaluation_cases used where used.host_id = trial.host_id and used.avatar_id = trial.id
    );
`;
