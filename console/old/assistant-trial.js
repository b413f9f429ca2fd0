import { keepDraft } from '../drafts.ts';
import { TRIAL_PLATFORM } from '../pages/inbox/conversation.ts';
import { askWhileGenerated, createConversation } from '../service.ts';
import { makeButton, runAction, submitOnEnter } from './actions.js';
import { formatCount, make, makeField } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { makeMessageItem, makeWhatsappText } from './message-items.js';

/**
 * @typedef {{ host: import('../service.ts').Host, avatar: import('../shell/session.ts').Avatar,
 *   readChanges: () => object | undefined, readSteps: () => import('./flow-steps.js').Step[] | undefined }} TrialOptions
 * @typedef {{ avatar?: object, flow?: { chainJson: import('./flow-steps.js').Step[] } }} Changes As they would be saved.
 */

/**
 * A question to the assistant as it is, and beside it to the assistant with the changes that are not saved.
 * @param {TrialOptions} options
 */
export function makeTrial({ host, avatar, readChanges, readSteps }) {
  const question = make('textarea', { rows: 2, maxLength: 16_000, placeholder: 'Pergunte como um cliente' });
  const ask = make('button', {}, 'Ensaiar');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const form = make('form', { className: 'ask flat' }, makeField('Pergunta de ensaio', question), ask);
  const present = makeColumn(host, 'Como está salvo');
  const changed = makeColumn(host, 'Com as suas mudanças');
  changed.element.hidden = true;
  keepDraft(question, `trial:${avatar.avatar_id}`);
  submitOnEnter(question, form);
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(ask, outcome, rehearse);
  });
  const rehearse = async () => {
    const text = question.value.trim();
    if (!text) return;
    const [fields, steps] = [readChanges(), readSteps()];
    const changes = { ...(fields && { avatar: fields }), ...(steps && { flow: { chainJson: steps } }) };
    const hasChanges = Boolean(fields || steps);
    changed.element.hidden = !hasChanges;
    const asked = [present.ask(text, avatar.sub_slug)];
    if (hasChanges) asked.push(changed.ask(text, avatar.sub_slug, changes));
    await Promise.all(asked);
  };
  const restart = makeButton(
    'Recomeçar',
    () => {
      present.restart();
      changed.restart();
    },
    'quiet',
  );
  return make(
    'section',
    { className: 'card stack', 'aria-label': 'Ensaio' },
    make('div', { className: 'head' }, make('h2', {}, 'Ensaio'), restart),
    make(
      'p',
      { className: 'small' },
      'Não conta como atendimento. Mude as instruções acima ou o fluxo abaixo e compare antes de salvar.',
    ),
    make('div', { className: 'trial' }, present.element, changed.element),
    outcome,
    form,
  );
}

/** @param {import('../service.ts').Host} host @param {string} title */
function makeColumn(host, title) {
  const log = make('div', { className: 'log', role: 'log', 'aria-label': title, tabIndex: 0 });
  const element = make('div', { className: 'trial-column' }, make('h3', {}, title), log);
  /** @type {string | undefined} */
  let conversationId;
  const restart = () => {
    conversationId = undefined;
    log.replaceChildren(make('p', { className: 'small note' }, 'Pergunte abaixo.'));
  };
  restart();
  return {
    element,
    restart,
    /** @param {string} text @param {string} subSlug @param {Changes} [changes] Not saved. */
    async ask(text, subSlug, changes) {
      log.querySelector('.note')?.remove();
      const waiting = make('div', { className: 'bubble ours waiting', role: 'status' }, 'Respondendo…');
      log.append(make('div', { className: 'bubble theirs' }, makeWhatsappText(text)), waiting);
      try {
        conversationId ??= await createConversation(host, TRIAL_PLATFORM);
        const target = { hostId: host.host_id, conversationId, subSlug, question: text };
        const turn = await askWhileGenerated(
          { ...target, reasoningConfig: { rehearsal: true, ...(changes && { changes }) } },
          {},
          written => {
            if (written) waiting.textContent = written;
          },
        );
        waiting.replaceWith(...makeAnswer(turn));
      } catch (error) {
        waiting.replaceWith(makeErrorBox(error));
      }
      log.scrollTop = log.scrollHeight;
    },
  };
}

/** @param {{ assistantResponse: { wppParsed: import('./message-items.js').Item[] }, askHumanHelp: boolean, sources: unknown[] }} turn */
function makeAnswer({ assistantResponse, askHumanHelp, sources }) {
  const bubbles = assistantResponse.wppParsed.map(item =>
    make('div', { className: 'bubble ours' }, makeMessageItem(item)),
  );
  const notes = [
    sources.length > 0
      ? `${formatCount(sources.length, 'passagem', 'passagens')} do conhecimento`
      : 'sem passagem do conhecimento',
    ...(askHumanHelp ? ['pediu uma pessoa da equipe'] : []),
  ];
  return [...bubbles, make('p', { className: 'small receipt' }, notes.join(' · '))];
}
