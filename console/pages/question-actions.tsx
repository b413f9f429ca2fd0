import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Badge } from '../components/badge.tsx';
import { Drawer } from '../components/drawer.tsx';
import { SelectField } from '../components/field.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { newPassage } from '../passage.ts';
import { call } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import type { HostOfSession, SessionContext } from '../shell/session.ts';
import { useLoad } from '../use-load.ts';
import { ApprovedDrawer } from './approved-form.tsx';
import { NewCaseDrawer } from './assistants/case-form.tsx';
import { PassageForm } from './passage-form.tsx';

type Gap = DataOf<'getKnowledgeGaps'>[number];
/** A question, and what staff answered to it. */
export type Asked = Pick<Gap, 'gapId' | 'question' | 'suggestion' | 'rightAnswer'>;

/** What staff say is right comes before what they once wrote. */
const answerOf = ({ rightAnswer, suggestion }: Pick<Asked, 'suggestion' | 'rightAnswer'>): string =>
  rightAnswer ?? suggestion?.content ?? '';

/** A passage, an approved answer or a case for a question, each one click away. */
export function QuestionActions({
  asked,
  context: { host, avatars, scopes },
  onApproved,
}: {
  readonly asked: Asked;
  readonly context: SessionContext;
  readonly onApproved?: (() => void) | undefined;
}) {
  const [open, setOpen] = useState<'passage' | 'approved' | 'case'>();
  const [isWritten, setWritten] = useState(false);
  if (!host || !scopes.includes('manage')) return null;
  const close = () => setOpen(undefined);
  const { question } = asked;
  const answer = answerOf(asked);
  const place = { hostId: host.host_id, avatars, onClose: close };
  return (
    <>
      {isWritten ? (
        <Badge tone="good">Passagem escrita</Badge>
      ) : (
        <button type="button" class="quiet slim" onClick={() => setOpen('passage')}>
          Escrever passagem
        </button>
      )}
      {question !== '' && avatars.length > 0 && (
        <>
          <button type="button" class="quiet slim" onClick={() => setOpen('approved')}>
            Aprovar
          </button>
          <button type="button" class="quiet slim" onClick={() => setOpen('case')}>
            Criar caso
          </button>
        </>
      )}
      {open === 'passage' && (
        <GapPassage gap={asked} host={host} onSaved={() => setWritten(true)} onClose={close} />
      )}
      {open === 'approved' && (
        <ApprovedDrawer
          {...place}
          begin={{ questions: [question], answer }}
          {...(onApproved ? { onSaved: onApproved } : {})}
        />
      )}
      {open === 'case' && <NewCaseDrawer {...place} begin={{ question, ...(answer && { answer }) }} />}
    </>
  );
}

interface GapPassageProps {
  readonly gap: Asked;
  readonly host: HostOfSession;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/**
 * Writes a passage for a gap, beginning with the answer of the staff. It stays a draft until the person saves it or gives it up.
 */
function GapPassage(props: GapPassageProps) {
  const { host, onClose } = props;
  const hostId = host.host_id;
  const { data: datasets, error, reload } = useLoad(() => call('listDatasets', { hostId }), [hostId]);
  return (
    <Drawer title="Escrever passagem" onClose={onClose}>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!datasets && error === undefined && <Skeleton rows={3} label="Carregando as bases" />}
      {datasets?.length === 0 && (
        <EmptyState title="Ainda não há uma base" text="Uma passagem fica em uma base de conhecimento.">
          <a href={linkTo('conhecimento')}>Criar uma base</a>
        </EmptyState>
      )}
      {datasets && datasets.length > 0 && <PassageOfGap {...props} datasets={datasets} />}
    </Drawer>
  );
}

function PassageOfGap({
  gap: { gapId, question, ...gap },
  host: { host_id, host_config },
  datasets,
  onSaved,
  onClose,
}: GapPassageProps & { readonly datasets: DataOf<'listDatasets'> }) {
  const [dataset, setDataset] = useState(datasets[0]?.id ?? '');
  const answer = answerOf(gap);
  return (
    <PassageForm
      draft={`lacuna:${gapId}`}
      begin={{ ...newPassage, title: question, text: answer }}
      hint={
        answer
          ? 'Começa com o que a equipe respondeu: tire o que vale só para aquela pessoa.'
          : 'A resposta, completa e sem depender de outro texto.'
      }
      limit={host_config.chunk_size_limit}
      save={sent => call('createChunk', { host_id, dataset_id: dataset, ...sent })}
      onSaved={() => {
        showToast('Passagem salva: o assistente já a usa');
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      <SelectField
        label="Base"
        value={dataset}
        choices={datasets.map(({ id, dataset_name }) => [id, dataset_name] as const)}
        onChange={setDataset}
      />
    </PassageForm>
  );
}
