import { Ellipsis, LogOut } from 'lucide';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { Initials } from '../components/list-row.tsx';
import { getSession } from '../service.ts';
import { roleNames } from '../words.ts';
import { LanguageButton } from './language.tsx';
import { groups, pages } from './pages.ts';
import { linkTo, route } from './route.ts';
import { signOut } from './session.ts';
import { ShortcutsButton } from './shortcuts.tsx';
import { waiting } from './waiting.ts';

/** The bottom bar of a phone has these, if they are shown; the others are behind “Mais”. */
const firstOnPhone = ['atendimento', 'busca', 'conhecimento', 'relatorios'];

/** The rail at the left, with the parts of the console and the person signed in; on a phone, a bar at the bottom. */
export function Rail(props: { readonly shown: readonly string[]; readonly open: string | undefined }) {
  const { shown, open } = props;
  const [isWhole, setWhole] = useState(false);
  // The menu closes before the next page is painted: an effect that runs later leaves it open over the page for a moment.
  useLayoutEffect(() => setWhole(false), [route.value]);
  return (
    <header class={isWhole ? 'rail is-whole' : 'rail'}>
      <span class="brand">
        <img src="/console/icon.svg" alt="" width="28" height="28" />
        <span>Parley</span>
      </span>
      <nav id="views" class="rail-pages" aria-label="Partes do painel">
        {groups.map(group => {
          const names = shown.filter(name => pages[name]?.group === group);
          if (names.length === 0) return undefined;
          return (
            <section key={group} class="rail-group" aria-label={group}>
              <h2 aria-hidden="true">{group}</h2>
              {names.map(name => (
                <RailLink key={name} name={name} isOpen={name === open} />
              ))}
            </section>
          );
        })}
        <button
          type="button"
          class={
            open === undefined || firstOnPhone.includes(open)
              ? 'rail-link rail-more'
              : 'rail-link rail-more is-open'
          }
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          <Icon of={Ellipsis} size={20} />
          <span>Mais</span>
        </button>
      </nav>
      <WhoIAm />
    </header>
  );
}

function RailLink({ name, isOpen }: { readonly name: string; readonly isOpen: boolean }) {
  const page = pages[name];
  if (!page) return null;
  const count = name === 'atendimento' ? waiting.value : 0;
  const classes = ['rail-link', ...(firstOnPhone.includes(name) ? ['is-first'] : [])];
  return (
    <a
      class={classes.join(' ')}
      href={linkTo(name)}
      title={page.title}
      aria-current={isOpen ? 'page' : undefined}
    >
      <Icon of={page.icon} size={20} />
      <span>{page.title}</span>
      {count > 0 && (
        <span class="rail-count" role="img" aria-label={`${count} à espera`}>
          {count}
        </span>
      )}
    </a>
  );
}

function WhoIAm() {
  const { name, role, host } = getSession() ?? {};
  const hostName = host?.host_name ?? '';
  return (
    <div class="who-i-am">
      <Initials name={name ?? (hostName || 'Parley')} />
      <span class="who-i-am-text">
        {name && <strong>{name}</strong>}
        {role && <span>{roleNames[role]}</span>}
        <span id="host-name" class="host-name">
          {hostName}
        </span>
      </span>
      <span class="who-i-am-buttons">
        <LanguageButton />
        <ShortcutsButton />
        <button
          type="button"
          class="icon-button"
          aria-label="Sair"
          title="Sair"
          onClick={() => void signOut()}
        >
          <Icon of={LogOut} />
        </button>
      </span>
    </div>
  );
}
