/** With which of its own models a host makes insights and forms of agents. */
export const insightModels = `
  alter table host_providers
    -- Without the name of the provider. Empty: with that of the installation, or that of another provider. At most one has any.
    add column insight_model text not null default '';
  create unique index host_providers_of_insights on host_providers (host_id) where insight_model <> '';
`;
