import { BookOpen, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { Drawer } from '../../components/drawer.tsx';
import { Field, NameField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListRow, Portrait } from '../../components/list-row.tsx';
import { Page } from '../../components/page.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { formatCount } from '../../format.ts';
import { call, type Host } from '../../service.ts';
import { goTo, linkTo, route } from '../../shell/route.ts';
import { type Avatar, readAvatarsAgain, type SessionContext } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import { AssistantEditor } from './assistant-editor.tsx';

/** All assistants, or one of them: #assistentes/<avatar>/<part> */
export function AssistantsPage({ context }: { readonly context: SessionContext }) {
  const { host, avatars } = context;
  const [isNew, setNew] = useState(false);
  if (!host) return null;
  const [id] = route.value.parts;
  const open =
    id === undefined && avatars.length === 1 ? avatars[0] : avatars.find(each => each.avatar_id === id);
  const add = (
    <button type="button" class={open ? 'quiet with-icon' : 'with-icon'} onClick={() => setNew(true)}>
      <Icon of={Plus} size={16} /> Novo assistente
    </button>
  );
  return (
    <>
      {open ? (
        <AssistantEditor key={open.avatar_id} host={host} listed={open} context={context} add={add} />
      ) : (
        <Page title="Assistentes" about="Quem responde às pessoas, como fala e o que lê." action={add}>
          <AssistantList avatars={avatars} />
        </Page>
      )}
      {isNew && (
        <Drawer title="Novo assistente" onClose={() => setNew(false)}>
          <NewAssistantForm host={host} onCreated={() => setNew(false)} />
        </Drawer>
      )}
    </>
  );
}

function AssistantList({ avatars }: { readonly avatars: readonly Avatar[] }) {
  if (avatars.length === 0)
    return (
      <EmptyState
        title="Nenhum assistente ainda"
        text="Um assistente responde com o conhecimento que você lhe der."
      />
    );
  return (
    <ul class="list">
      {avatars.map(({ avatar_id: id, avatar_name: name, avatarPicture, sub_slug: slug, datasets }) => (
        <ListRow
          key={id}
          lead={<Portrait name={name} url={avatarPicture} />}
          title={name}
          detail={slug}
          aside={
            <span class="with-icon">
              <Icon of={BookOpen} size={14} /> {formatCount(datasets.length, 'base', 'bases')}
            </span>
          }
          href={linkTo('assistentes', [id])}
        />
      ))}
    </ul>
  );
}

const MAX_SLUG_LENGTH = 60;

function NewAssistantForm({ host, onCreated }: { readonly host: Host; readonly onCreated: () => void }) {
  const [name, setName] = useState('');
  const [chosenSlug, setSlug] = useState<string>();
  const slug = chosenSlug ?? slugOf(name);
  const creating = useAction();
  const create = async () => {
    const body = { host_id: host.host_id, sub_slug: slug, avatar_name: name.trim() };
    const { avatar_id: id } = await call('createSubAvatar', body);
    await readAvatarsAgain();
    onCreated();
    goTo('assistentes', [id]);
  };
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault();
        creating.run(create);
      }}
    >
      <NameField label="Nome" hint="Como ele se apresenta às pessoas." value={name} onInput={setName} />
      <Field
        label="Identificador"
        hint="Letras minúsculas, números e hífens. As integrações escolhem por ele."
      >
        {field => (
          <input
            {...field}
            required
            minLength={2}
            maxLength={63}
            pattern="[a-z0-9][a-z0-9\-]+"
            value={slug}
            onInput={event => setSlug(event.currentTarget.value)}
          />
        )}
      </Field>
      <ActionNote of={creating} />
      <div class="buttons">
        <button type="submit" aria-busy={creating.isBusy}>
          Criar assistente
        </button>
      </div>
    </form>
  );
}

function slugOf(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_SLUG_LENGTH);
}
