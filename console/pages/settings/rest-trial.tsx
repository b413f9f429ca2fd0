import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { Field, SelectField } from '../../components/field.tsx';
import { SaveForm } from '../../components/save-form.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { decimalMark, formatMoment } from '../../format.ts';
import { readObject } from '../../read-object.ts';
import { call } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import { describeError } from './server-trial.tsx';

type Tool = DataOf<'listRestTools'>[number];
type Called = Pick<DataOf<'tryRestTool'>, 'status' | 'durationMs' | 'error'>;

/** Calls a function of a tool, and shows its last calls. */
export function RestTrial({ tool, onClose }: { readonly tool: Tool; readonly onClose: () => void }) {
  const { hostId, toolId, name, functions } = tool;
  const [chosen, choose] = useState(functions[0]?.name ?? '');
  const [tried, setTried] = useState<DataOf<'tryRestTool'>>();
  const last = useLoad(() => call('listRestCalls', { hostId, toolId }), [toolId]);
  const called = functions.find(each => each.name === chosen);
  const run = async (args: Record<string, unknown>) => {
    setTried(undefined);
    setTried(await call('tryRestTool', { hostId, toolId, function: chosen, arguments: args }));
    last.reload();
  };
  return (
    <Drawer title={`Testar ${name}`} onClose={onClose}>
      <p class="small">A função é chamada de verdade, e o que ela muda no sistema fica mudado.</p>
      <SelectField
        label="Função"
        value={chosen}
        choices={functions.map(each => [each.name, `${each.name} (${each.method})`] as const)}
        onChange={value => {
          choose(value);
          setTried(undefined);
        }}
      />
      {called && <ArgumentsForm key={chosen} schema={called.arguments} run={run} />}
      <div role="status" class="stack">
        {tried && (
          <section class="stack" aria-label="Resultado">
            <h3>Resultado</h3>
            <CallEnd of={tried} />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long answer is scrolled by keyboard, too. */}
            <pre tabIndex={0}>{tried.text}</pre>
          </section>
        )}
      </div>
      <section class="stack" aria-label="Últimas chamadas">
        <h3>Últimas chamadas</h3>
        {last.error !== undefined && <ErrorNote error={last.error} onRetry={last.reload} />}
        {last.data?.length === 0 && <p class="small">Nenhuma ainda.</p>}
        <ul>
          {last.data?.map((each, at) => (
            <li key={at}>
              <code>{each.function}</code>, {formatMoment(each.calledAt)},{' '}
              {each.calledBy === 'turn' ? 'em uma conversa' : 'em um teste'}: <CallEnd of={each} />
            </li>
          ))}
        </ul>
      </section>
    </Drawer>
  );
}

function CallEnd({ of: { status, durationMs, error } }: { readonly of: Called }) {
  return (
    <span>
      <Badge tone={error ? 'bad' : 'good'}>{status > 0 ? String(status) : 'Sem resposta'}</Badge>{' '}
      {error && `${describeError({ status, error })}, `}
      {Math.round(durationMs).toLocaleString('pt-BR')} ms
    </span>
  );
}

interface Property {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
}

const PLAIN: readonly unknown[] = ['string', 'number', 'integer', 'boolean', undefined];

/** A field for each argument: as it is where that is plain, in JSON otherwise. */
function ArgumentsForm(props: {
  readonly schema: Tool['functions'][number]['arguments'];
  readonly run: (args: Record<string, unknown>) => Promise<unknown>;
}) {
  const { properties = {}, required = [] } = props.schema as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const args = () =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => (typed[name] ?? '') !== '')
        .map(([name, property]) => [name, valueOf(name, property, typed[name] ?? '')]),
    );
  return (
    <SaveForm text="Chamar" save={async () => props.run(args())}>
      {Object.entries(properties).map(([name, property]) => {
        const said = typeof property.description === 'string' ? property.description : '';
        const shared = {
          required: required.includes(name),
          value: typed[name] ?? '',
          onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
            setTyped({ ...typed, [name]: event.currentTarget.value }),
        };
        return (
          <Field key={name} label={name} hint={isPlain(property) ? said : `${said} Em JSON.`.trim()}>
            {field =>
              isPlain(property) ? (
                <input {...field} {...shared} autocomplete="off" placeholder={exampleOf(property)} />
              ) : (
                <textarea {...field} {...shared} rows={3} spellcheck={false} />
              )
            }
          </Field>
        );
      })}
    </SaveForm>
  );
}

function isPlain({ type }: Property): boolean {
  return [type].flat().every(each => PLAIN.includes(each) || each === 'null');
}

function exampleOf({ example, enum: values }: Property): string {
  const shown = example ?? values?.[0];
  return typeof shown === 'string' || typeof shown === 'number' ? String(shown) : '';
}

function valueOf(name: string, property: Property, text: string): unknown {
  const types = [property.type].flat();
  if (!isPlain(property)) return readObject(name, text);
  if (types.includes('string') || types.includes(undefined)) return text;
  if (types.includes('boolean') && /^(true|false|sim|não|yes|no|sí)$/i.test(text.trim()))
    return /^(true|sim|yes|sí)$/i.test(text.trim());
  const number = Number(text.replace(decimalMark, '.'));
  return Number.isNaN(number) ? text : number;
}
