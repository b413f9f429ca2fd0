import { callHelper } from '../service.ts';

/*
 * A rehearsal of changes that are not saved. The API answers with what is saved, so the changes are saved in an assistant of
 * their own: one for each assistant, hidden in this page, with the same datasets and the same flow.
 */

/** @typedef {{ avatar_id: string, sub_slug: string, datasets: { dataset_id: string }[] }} Avatar */
/** @typedef {{ avatar_name?: string, avatar_picture?: string, prompt_envelop?: string, model?: string, on_unsupported?: string }} Changes */
/** @typedef {{ id: string, active: boolean, updatedAt: string, decisionName: string, chainJson: object[], model: string, avatarId: string }} Flow */

const PREFIX = 'ensaio-';
/** Conversations of this channel are not shown to those who attend. */
export const TRIAL_PLATFORM = 'ensaio';

/**
 * The assistants of a host without those of rehearsals. Only the id of another assistant makes a slug that of a rehearsal:
 * people have words of their own that begin like it.
 * @template {{ avatar_id: string, sub_slug: string }} Each
 * @param {Each[]} avatars
 */
export function withoutTrialAvatars(avatars) {
  const slugs = new Set(avatars.map(({ avatar_id: id }) => PREFIX + id));
  return avatars.filter(({ sub_slug: slug }) => !slugs.has(slug));
}

/**
 * The slug of the assistant with the changes, as it will be when they are saved.
 * @param {import('../service.ts').Host} host
 * @param {string} avatarId
 * @param {Changes} changes
 * @param {object[] | undefined} steps Of the flow, if they are changed.
 */
export async function prepareTrialAvatar({ host_id: hostId, host_slug }, avatarId, changes, steps) {
  const subSlug = PREFIX + avatarId;
  const [present, { avatarsAdminList }] = await Promise.all([
    callHelper('readAvatarHelper', { host_id: hostId, avatar_id: avatarId }),
    callHelper('avatarsListHelper', { host_slug }),
  ]);
  const { avatar_name, avatar_picture, prompt_envelop, model, on_unsupported } = present;
  const fields = { avatar_name, avatar_picture, prompt_envelop, model, on_unsupported, ...changes };
  /** @type {Avatar | undefined} */
  const known = avatarsAdminList.avatars.find((/** @type {Avatar} */ each) => each.sub_slug === subSlug);
  const target = { host_id: hostId, ...fields };
  /** @type {Avatar} */
  const trial = known
    ? { ...known, ...(await callHelper('editAvatarHelper', { ...target, avatar_id: known.avatar_id })) }
    : await callHelper('createSubAvatarHelper', { ...target, sub_slug: subSlug, avatar_id: avatarId });
  await copyDatasets(hostId, present, trial);
  await copyFlow(hostId, avatarId, trial.avatar_id, steps);
  return subSlug;
}

/** @param {string} hostId @param {Avatar} from @param {Avatar} to */
async function copyDatasets(hostId, from, to) {
  const [wanted, linked] = [from, to].map(
    ({ datasets }) => new Set(datasets.map(({ dataset_id: id }) => id)),
  );
  const missing = [...(wanted ?? [])].filter(id => !linked?.has(id));
  const excess = [...(linked ?? [])].filter(id => !wanted?.has(id));
  /** @param {string} datasetId */
  const linkOf = datasetId => ({ hostId, datasetId, avatarId: to.avatar_id });
  await Promise.all([
    ...missing.map(id => callHelper('linkDatasetAvatarHelper', linkOf(id))),
    ...excess.map(id => callHelper('unlinkDatasetAvatarHelper', linkOf(id))),
  ]);
}

/** @param {string} hostId @param {string} from @param {string} to @param {object[] | undefined} steps */
async function copyFlow(hostId, from, to, steps) {
  /** @type {Flow[]} */
  const flows = await callHelper('decisionChainsListHelper', { hostId, avatarIds: [from, to] });
  const present = findRunningFlow(flows.filter(({ avatarId }) => avatarId === from));
  const copy = flows.find(({ avatarId }) => avatarId === to);
  if (!present) {
    if (copy?.active) await callHelper('saveDecisionChainHelper', { hostId, id: copy.id, active: false });
    return;
  }
  const { decisionName, model } = present;
  const body = { hostId, avatarId: to, decisionName, model, active: true };
  const chainJson = steps ?? present.chainJson;
  await callHelper('saveDecisionChainHelper', { ...body, chainJson, ...(copy ? { id: copy.id } : {}) });
}

/**
 * Of several active flows, the one saved last runs.
 * @template {{ active: boolean, updatedAt: string }} Each
 * @param {Each[]} flows
 */
export function findRunningFlow(flows) {
  return flows.filter(({ active }) => active).toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0];
}
