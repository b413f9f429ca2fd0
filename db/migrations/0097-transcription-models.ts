/** With which of its own models a host transcribes recordings. */
export const transcriptionModels = `
  alter table host_providers
    -- Without the name of the provider. Empty: with that of the installation, or that of another provider. At most one has any.
    add column transcription_model text not null default '';
  create unique index host_providers_of_transcriptions on host_providers (host_id) where transcription_model <> '';
`;
