import { Languages } from 'lucide';
import { chooseOne } from '../components/dialogs.tsx';
import { Icon } from '../components/icon.tsx';

/** Each in its own words, so that it is found by who reads no other. */
const languages = [
  ['pt', 'Português'],
  ['en', 'English'],
  ['es', 'Español'],
] as const;

const YEAR_SECONDS = 365 * 86_400;

/** The service sends the page in the chosen language from then on; what was typed is still there after the reload. */
async function chooseLanguage(): Promise<void> {
  const chosen = await chooseOne({
    title: 'Idioma do painel',
    text: 'Vale neste navegador.',
    label: 'Idioma',
    groups: [['Parley', languages]],
    empty: '',
    action: 'Escolher',
  });
  if (!chosen) return;
  const flags = `Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${location.protocol === 'https:' ? '; Secure' : ''}`;
  document.cookie = `parley-language=${chosen.choice}; ${flags}`;
  location.reload();
}

export function LanguageButton() {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Idioma do painel"
      title="Idioma do painel"
      onClick={() => void chooseLanguage()}
    >
      <Icon of={Languages} />
    </button>
  );
}
