import { CircleCheck, CircleDashed } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from '../../components/icon.tsx';
import type { Progress } from './begin-site.ts';

type Step = Progress['step'] | 'asking' | 'comparing';

const stepTexts: Readonly<Record<Step, string>> = {
  finding: 'Encontrar as páginas do site',
  making: 'Criar a base e o assistente',
  reading: 'Ler as páginas',
  proposing: 'Escolher as perguntas',
  asking: 'Perguntar e conferir as respostas',
  comparing: 'Procurar o que se contradiz',
};

/** The steps, of which the ones before the current one are done. */
export function Steps(props: {
  readonly current: Step;
  readonly address: string;
  /** How far the current one is. */
  readonly children?: ComponentChildren;
}) {
  const { current, address, children } = props;
  const steps = Object.keys(stepTexts) as Step[];
  const at = steps.indexOf(current);
  return (
    <section class="card stack report" aria-label="Andamento">
      <h2>{address}</h2>
      <ol class="begin-steps">
        {steps.map((step, place) => (
          <li key={step} {...(place === at ? { 'aria-current': 'step' } : {})}>
            <Icon of={place < at ? CircleCheck : CircleDashed} /> {stepTexts[step]}
            {place < at && <span class="unseen">(feito)</span>}
          </li>
        ))}
      </ol>
      <p class="unseen" role="status">
        {stepTexts[current]}…
      </p>
      {children}
    </section>
  );
}
