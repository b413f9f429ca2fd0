import { MessageCircle, Ticket } from 'lucide';
import { useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { Choices } from '../components/choices.tsx';
import { confirmAction } from '../components/dialogs.tsx';
import { Drawer } from '../components/drawer.tsx';
import { Field, SelectField } from '../components/field.tsx';
import { Initials, ListRow } from '../components/list-row.tsx';
import { Menu } from '../components/menu.tsx';
import { Page, Tabs } from '../components/page.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { ServiceError } from '../service.ts';

const failed = new ServiceError(503, '', { reason: 'unavailable', requestId: 'um-pedido' });

/** For developers, at #componentes: each component in its states. */
export function ComponentsPage() {
  const [isDrawn, setDrawn] = useState(false);
  const [chosen, setChosen] = useState('all');
  return (
    <Page
      title="Componentes"
      about="De que as páginas são feitas."
      action={<SampleActions onDraw={() => setDrawn(true)} />}
    >
      <Choices
        label="Escolha"
        value={chosen}
        onChoose={setChosen}
        choices={[
          ['all', 'Tudo'],
          ['some', 'Alguns'],
        ]}
      />
      <ul class="list">
        <ListRow
          lead={<Initials name="Ana Lima" />}
          title="Ana Lima"
          detail="Que horas abre a secretaria?"
          aside={<Badge tone="warn">espera há 12 min</Badge>}
          href="/console#componentes"
        />
        <ListRow icon={Ticket} title="Matrícula trancada" detail="Um botão" onOpen={() => setDrawn(true)} />
        <ListRow icon={MessageCircle} title="A que está aberta" onOpen={() => undefined} isCurrent />
      </ul>
      <Samples chosen={chosen} setChosen={setChosen} />
      {isDrawn && (
        <Drawer title="Uma gaveta" onClose={() => setDrawn(false)}>
          <p>Detalhes de uma coisa, sem sair da página.</p>
        </Drawer>
      )}
    </Page>
  );
}

function SampleActions({ onDraw }: { readonly onDraw: () => void }) {
  return (
    <>
      <button type="button" class="quiet" onClick={onDraw}>
        Gaveta
      </button>
      <button type="button" onClick={() => showToast('Salvo')}>
        Aviso
      </button>
      <Menu
        label="Ações de exemplo"
        actions={[
          { text: 'Renomear', onChoose: () => showToast('Renomeado') },
          { text: 'Excluir', isDangerous: true, onChoose: () => void askToDelete() },
        ]}
      />
    </>
  );
}

function Samples({
  chosen,
  setChosen,
}: {
  readonly chosen: string;
  readonly setChosen: (value: string) => void;
}) {
  return (
    <>
      <Tabs
        label="Partes"
        tabs={[
          { text: 'Uma parte', href: '/console#componentes', isOpen: true },
          { text: 'Outra', href: '/console#componentes', isOpen: false },
        ]}
      />
      <p class="buttons">
        <Badge>Rascunho</Badge>
        <Badge tone="good">Importado</Badge>
        <Badge tone="warn">Em andamento</Badge>
        <Badge tone="bad">Falhou</Badge>
      </p>
      <div class="pair">
        <Field label="Nome" hint="Como a equipe a conhece">
          {field => <input {...field} />}
        </Field>
        <SelectField
          label="Mostrar"
          value={chosen}
          onChange={setChosen}
          choices={[
            ['all', 'Tudo'],
            ['some', 'Alguns'],
          ]}
        />
      </div>
      <ErrorNote error={failed} onRetry={() => showToast('De novo')} />
      <EmptyState title="Nada ainda" text="O que se faz para que haja algo." />
      <Skeleton rows={2} label="Carregando" />
    </>
  );
}

async function askToDelete(): Promise<void> {
  const question = { title: 'Excluir isto?', text: 'Não há volta.', action: 'Excluir' };
  if (await confirmAction(question)) showToast('Excluído');
}
