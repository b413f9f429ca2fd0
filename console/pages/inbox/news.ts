import { signal } from '@preact/signals';
import { showToast } from '../../components/toast.tsx';
import { formatCount } from '../../format.ts';
import { readPerson } from '../../shell/person-name.ts';
import { goTo, route } from '../../shell/route.ts';
import {
  type Attendant,
  type Conversation,
  isAttendedBy,
  isShown,
  isWaiting,
  namePerson,
} from './conversation.ts';
import { markUnseen } from './seen.ts';

/*
 * News call a person who looks elsewhere: somebody waits, a conversation was passed on, an answer has come. If the person wants
 * them, which this browser remembers, they come as a notification of the desktop and a short sound.
 */

type Kind = 'waits' | 'passed' | 'answered';

export type Changed = readonly [before: Conversation | undefined, after: Conversation];

interface News {
  readonly kind: Kind;
  readonly conversation: Conversation;
}

const ON_KEY = 'parley-alerts';
const TOLD_KEY = 'parley-told';
/** Another tab of this browser told the same news within this time; a hidden tab learns of it that late. */
const SAME_NEWS_MS = 90_000;
/** Until what one tab has stored is there for the others. */
const SAME_MOMENT_MS = 5_000;
/** More news at once are told as a number. */
const MAX_NOTIFICATIONS = 3;

export const isOn = signal(localStorage.getItem(ON_KEY) !== null);
/** Says why a person can only hear the sound. */
export const silence = signal(isOn.peek() ? findSilence() : undefined);

const sentences: Readonly<Record<Kind, (name: string) => string>> = {
  waits: name => `${name} espera por uma pessoa da equipe`,
  passed: name => `A conversa com ${name} foi passada a você`,
  answered: name => `${name} respondeu a você`,
};

/** Whether the person sees a new message of the conversation as it comes. */
export function isInSight(id: string): boolean {
  const { page, parts } = route.value;
  return !document.hidden && page === 'atendimento' && parts[0] === id;
}

function findNews([before, after]: Changed, person: Attendant | undefined): Kind | undefined {
  if (!isShown(after) || after.closed) return undefined;
  if (isWaiting(after)) return before && isWaiting(before) ? undefined : 'waits';
  if (!isAttendedBy(after, person)) return undefined;
  if (!before || !isAttendedBy(before, person)) return 'passed';
  const isNew = after.last_message?.messageId !== before.last_message?.messageId;
  return isNew && after.last_message?.author === 'user' ? 'answered' : undefined;
}

/** Tells what others have changed; changes of the person on this page are no news. */
export async function tellNews(changes: readonly Changed[]): Promise<void> {
  const news = changes.flatMap((changed): News[] => {
    const kind = findNews(changed, readPerson());
    const conversation = changed[1];
    return kind === undefined || isInSight(conversation.id) ? [] : [{ kind, conversation }];
  });
  for (const { kind, conversation } of news) if (kind === 'passed') markUnseen(conversation.id);
  if (!isOn.peek()) return;
  const claims = keepUntold(news).map(async each => ((await isFirst(each)) ? [each] : []));
  const untold = (await Promise.all(claims)).flat();
  if (untold.length === 0) return;
  playSound();
  if (untold.length > MAX_NOTIFICATIONS)
    return notify(`${formatCount(untold.length, 'conversa', 'conversas')} com novidades`, '');
  for (const { kind, conversation } of untold)
    notify(sentences[kind](namePerson(conversation)), conversation.id);
}

/** Asks for the permission only now, and plays the sound once as a sample. */
export async function switchAlerts(on: boolean): Promise<void> {
  if (!on) {
    localStorage.removeItem(ON_KEY);
    isOn.value = false;
    return;
  }
  localStorage.setItem(ON_KEY, '1');
  playSound();
  if (mayNotifyHere() && Notification.permission === 'default') await Notification.requestPermission();
  silence.value = findSilence();
  isOn.value = true;
  if (silence.value === undefined) showToast('Avisos ligados neste navegador');
}

function mayNotifyHere(): boolean {
  return isSecureContext && 'Notification' in window;
}

function findSilence(): string | undefined {
  if (!mayNotifyHere())
    return 'Só o som: neste endereço o navegador não mostra notificações (é preciso https).';
  if (Notification.permission === 'denied')
    return 'Só o som: o navegador recusou as notificações. Permita-as nas configurações deste site, ao lado do endereço.';
  return Notification.permission === 'default'
    ? 'Só o som: as notificações não foram permitidas. Desligue e ligue para responder outra vez.'
    : undefined;
}

const keyOf = ({ kind, conversation }: News): string =>
  `${kind} ${conversation.id} ${conversation.last_message?.messageId ?? ''}`;

/** Several tabs of one browser learn the same news: the first one tells it. */
function keepUntold(news: readonly News[]): readonly News[] {
  const now = Date.now();
  const stored: Record<string, number> = JSON.parse(localStorage.getItem(TOLD_KEY) ?? '{}');
  const told = new Map(Object.entries(stored).filter(([, at]) => now - at < SAME_NEWS_MS));
  const untold = news.filter(each => !told.has(keyOf(each)));
  for (const each of untold) told.set(keyOf(each), now);
  localStorage.setItem(TOLD_KEY, JSON.stringify(Object.fromEntries(told)));
  return untold;
}

/** Tabs that learn of it at the same moment do not see what the others store: one alone gets the lock, where there are locks. */
function isFirst(news: News): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock && new Promise(over => setTimeout(over, SAME_MOMENT_MS));
    };
    navigator.locks.request(`${TOLD_KEY} ${keyOf(news)}`, { ifAvailable: true }, hold).catch(reject);
  });
}

/** The notification has no text of the message: other people see the screen, too. */
function notify(text: string, conversationId: string): void {
  if (!mayNotifyHere() || Notification.permission !== 'granted') return;
  try {
    const notification = new Notification(text, { tag: conversationId, icon: '/console/icon.svg' });
    notification.addEventListener('click', () => {
      window.focus();
      goTo('atendimento', conversationId === '' ? [] : [conversationId]);
      notification.close();
    });
  } catch {
    // Browsers of phones accept notifications only from service workers.
    silence.value = 'Só o som: este navegador não mostra notificações.';
  }
}

const NOTES = [
  { hertz: 660, at: 0 },
  { hertz: 880, at: 0.14 },
];
const NOTE_S = 0.2;

/** Plays only after the person has touched the page: before, a browser would keep the sound for later. */
function playSound(): void {
  if (!navigator.userActivation.hasBeenActive) return;
  const audio = new AudioContext();
  for (const { hertz, at } of NOTES) {
    const [start, end] = [audio.currentTime + at, audio.currentTime + at + NOTE_S];
    const oscillator = new OscillatorNode(audio, { frequency: hertz });
    const gain = new GainNode(audio);
    gain.gain.setValueAtTime(0.15, start);
    gain.gain.exponentialRampToValueAtTime(0.001, end);
    oscillator.connect(gain).connect(audio.destination);
    oscillator.start(start);
    oscillator.stop(end);
  }
  setTimeout(() => void audio.close(), 1_000 * (NOTES.length * NOTE_S + 1));
}
