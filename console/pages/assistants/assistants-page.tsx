import { BookOpen, Plus } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Drawer } from '../../components/drawer.tsx';
import { Icon } from '../../components/icon.tsx';
import { Portrait } from '../../components/list-row.tsx';
import { NounList } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { formatCount } from '../../format.ts';
import { call, type Host } from '../../service.ts';
import { goTo, linkTo, route } from '../../shell/route.ts';
import { type Avatar, readAvatarsAgain, type SessionContext } from '../../shell/session.ts';
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
        <AssistantList avatars={avatars} add={add} />
      )}
      {isNew && (
        <Drawer title="Novo assistente" onClose={() => setNew(false)}>
          <NewAssistantForm host={host} onCreated={() => setNew(false)} />
        </Drawer>
      )}
    </>
  );
}

function AssistantList(props: { readonly avatars: readonly Avatar[]; readonly add: ComponentChildren }) {
  return (
    <NounList
      loaded={{ data: props.avatars, error: undefined, reload: () => void readAvatarsAgain() }}
      label="Assistentes"
      page={{
        title: 'Assistentes',
        about: 'Quem responde às pessoas, como fala e o que lê.',
        action: (
          <div class="buttons">
            <a href={linkTo('comecar')}>Começar por um site</a>
            {props.add}
          </div>
        ),
      }}
      empty={{
        title: 'Nenhum assistente ainda',
        text: 'Um assistente responde com o conhecimento que você lhe der.',
      }}
      rowOf={({ avatar_id: id, avatar_name: name, avatarPicture, sub_slug, datasets }) => ({
        id,
        lead: <Portrait name={name} url={avatarPicture} />,
        title: name,
        detail: sub_slug,
        aside: (
          <span class="with-icon">
            <Icon of={BookOpen} size={14} /> {formatCount(datasets.length, 'base', 'bases')}
          </span>
        ),
        href: linkTo('assistentes', [id]),
      })}
    />
  );
}

const MAX_SLUG_LENGTH = 60;

function NewAssistantForm(props: { readonly host: Host; readonly onCreated: () => void }) {
  return (
    <OperationForm
      of="createSubAvatar"
      begin={{ avatar_name: '', sub_slug: '' }}
      // The identifier follows the name until somebody writes another.
      changeWith={({ avatar_name: name }, { avatar_name: before, sub_slug: slug }) =>
        name !== undefined && slug === slugOf(before) ? { sub_slug: slugOf(name) } : {}
      }
      text="Criar assistente"
      save={async fields => {
        const body = { host_id: props.host.host_id, ...fields };
        const { avatar_id: id } = await call('createSubAvatar', body);
        await readAvatarsAgain();
        props.onCreated();
        goTo('assistentes', [id]);
      }}
    />
  );
}

function slugOf(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_SLUG_LENGTH);
}
