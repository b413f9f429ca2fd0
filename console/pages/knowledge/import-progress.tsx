import { useEffect, useState } from 'preact/hooks';
import { type Progress, readJob, ServiceError } from '../../service.ts';

const EVERY_MS = 500;
const MAX_WAIT_MS = 10_000;

const stages: Readonly<Record<string, string>> = {
  waiting: 'Na fila',
  fetching: 'Buscando as páginas',
  reading: 'Lendo o documento',
  storing: 'Guardando as passagens',
  ended: 'Terminando',
};

/** How far an import is, until it ends. */
export function ImportProgress({
  jobId,
  name,
  onEnded,
}: {
  readonly jobId: string;
  readonly name: string;
  readonly onEnded: () => void;
}) {
  const [progress, setProgress] = useState<Progress>();
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    let waitMs = EVERY_MS;
    const look = async () => {
      const job = await readJob(jobId).catch(readLostJob);
      if (isLeft) return;
      if (job?.state === 'completed' || job?.state === 'failed') return onEnded();
      setAway(job === undefined);
      if (job?.progress) setProgress(job.progress);
      waitMs = job ? EVERY_MS : Math.min(MAX_WAIT_MS, waitMs * 2);
      timer = setTimeout(() => void look(), waitMs);
    };
    void look();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [jobId]);
  const { stage = 'waiting', done = 0, total = 0 } = progress ?? {};
  const share = total > 0 ? `: ${done.toLocaleString('pt-BR')} de ${total.toLocaleString('pt-BR')}` : '';
  return (
    <>
      <progress aria-label={`Importação de ${name}`} {...(total > 0 ? { value: done, max: total } : {})} />
      <span role="status">
        {isAway ? 'Sem conexão: tentando de novo…' : `${stages[stage] ?? stage}${share}`}
      </span>
    </>
  );
}

/** A job that is forgotten has ended: the list says how. Undefined while the service cannot be reached. */
function readLostJob(
  error: unknown,
): { readonly state: 'completed'; readonly progress?: Progress } | undefined {
  return error instanceof ServiceError && error.status === 404 ? { state: 'completed' } : undefined;
}
