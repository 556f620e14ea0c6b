import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ConnectionInfo, ConnectionKindName } from '#shared/connection.ts';
import { connectionKinds } from '#shared/connection-kinds.ts';
import { connectionPlace } from '#shared/connection-labels.ts';
import type { TemplateNeed } from '#shared/template.ts';
import { listConnections, listSecrets } from '../api/flows.ts';
import { listSpaces } from '../api/knowledge.ts';
import { listModels } from '../api/models.ts';
import { readShop } from '../api/templates.ts';
import { TestText, useTest } from '../connections/test-connection.tsx';
import { Button } from '../ui/Button.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { type Choice, isOfShop, SHOP_ELSEWHERE, shippedFor } from './shipped-needs.ts';

const ConnectionDialog = lazy(() =>
  import('../connections/ConnectionDialog.tsx').then((file) => ({ default: file.ConnectionDialog })),
);

interface NeedStepProps {
  need: TemplateNeed;
  chosen: string | undefined;
  onChoose(choice: string): void;
}

/** One thing that a template needs: what ships for it, what there is on this server, and for a connection a new one. */
export function NeedStep({ need, chosen, onChoose }: NeedStepProps) {
  const { data: choices, error } = useQuery({
    queryKey: ['template-need', need.kind, need.name],
    queryFn: () => choicesFor(need),
  });
  const first = choices?.[0]?.value;
  useEffect(() => {
    if (chosen === undefined && first !== undefined) onChoose(first);
  }, [chosen, first, onChoose]);
  return (
    <div className="flex flex-col gap-3">
      <Purpose {...need} />
      {error && <p className="text-bad">{error.message}</p>}
      {!choices && !error && <Spinner label="Looking for what there is" className="size-5" />}
      {choices && <Choices need={need} choices={choices} value={chosen ?? first} onChoose={onChoose} />}
      {isOfShop(need) && <NoShop />}
      {need.kind === 'connection' && (
        <>
          {isOwn(need, chosen) && <Tested key={chosen} name={chosen} />}
          <NewOne need={need} onMade={onChoose} />
        </>
      )}
    </div>
  );
}

interface ChoicesProps {
  need: TemplateNeed;
  choices: readonly Choice[];
  value: string | undefined;
  onChoose(choice: string): void;
}

function Choices({ need, choices, value, onChoose }: ChoicesProps) {
  if (choices.length === 0) return <Nothing kind={need.kind} />;
  return (
    <RadioGroup
      aria-label={need.title}
      value={value}
      onValueChange={(next) => onChoose(String(next))}
      className="flex max-h-64 flex-col gap-2 overflow-y-auto p-0.5"
    >
      {choices.map(({ value: own, title, text }) => (
        <Radio.Root
          key={own}
          value={own}
          nativeButton
          render={<button type="button" />}
          className="flex flex-col items-start rounded-lg border border-line px-3 py-2 text-left hover:border-line-strong data-checked:border-accent data-checked:bg-accent-soft"
        >
          <span className="font-medium">{title}</span>
          <span className="text-xs text-text-2">{text}</span>
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}

/** The purpose of the thing in the flow, and what it must have for that. */
function Purpose({ text, expects }: Pick<TemplateNeed, 'text' | 'expects'>) {
  return (
    <div className="flex flex-col gap-1">
      <p>{text}</p>
      {expects !== undefined && (
        <p className="text-xs text-text-2">
          <ProseText text={expects} />
        </p>
      )}
    </div>
  );
}

interface Elsewhere {
  readonly text: string;
  readonly to: '/knowledge' | '/secrets' | '/providers';
  readonly place: string;
}

/** Where there will be something to choose; a connection is made in place. */
const NOTHING: Readonly<Partial<Record<TemplateNeed['kind'], Elsewhere>>> = {
  space: { text: 'There is no knowledge space yet.', to: '/knowledge', place: 'Open Knowledge' },
  secret: { text: 'There is no secret yet.', to: '/secrets', place: 'Open Secrets' },
  model: { text: 'There is no model yet.', to: '/providers', place: 'Open Models' },
};

function Nothing({ kind }: Pick<TemplateNeed, 'kind'>) {
  const elsewhere = NOTHING[kind];
  if (elsewhere === undefined) return null;
  const { text, to, place } = elsewhere;
  return (
    <p>
      {text}{' '}
      <Link to={to} className="text-accent-strong underline">
        {place}
      </Link>
    </p>
  );
}

/** Why nothing ships for the need on this server. */
function NoShop() {
  const { data: shop } = useQuery({ queryKey: ['shop'], queryFn: readShop });
  return shop?.here === false && <p className="text-xs text-text-2">{SHOP_ELSEWHERE}</p>;
}

/** Whether something else was chosen than what ships with Weft. */
function isOwn({ name }: TemplateNeed, chosen: string | undefined): chosen is string {
  return chosen !== undefined && chosen !== name;
}

/** A test of a connection of one’s own, before a run fails by it. */
function Tested({ name }: { name: string }) {
  const { result, busy, attempt } = useTest(name);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button busy={busy} onClick={() => void attempt()}>
        Test <bdi>{name}</bdi>
      </Button>
      {result && <TestText result={result} />}
    </div>
  );
}

/** Makes a connection of the kind that fits best, in place; it is chosen then. */
function NewOne({ need, onMade }: { need: TemplateNeed; onMade(name: string): void }) {
  const queries = useQueryClient();
  const [all, setAll] = useState<readonly ConnectionInfo[]>();
  const close = async (): Promise<void> => {
    const known = new Set(all?.map(({ name }) => name));
    setAll(undefined);
    const made = (await listConnections()).find(({ name }) => !known.has(name));
    await queries.invalidateQueries({ queryKey: ['template-need'] });
    if (made) onMade(made.name);
  };
  const kind = need.kinds?.at(-1) === 'mysql' ? 'postgres' : need.kinds?.[0];
  return (
    <>
      <Button icon={Plus} className="self-start" onClick={() => void listConnections().then(setAll)}>
        New connection…
      </Button>
      <Suspense fallback={null}>
        {all && (
          <ConnectionDialog
            connection={undefined}
            kind={kind as ConnectionKindName}
            all={all}
            onClose={() => void close()}
          />
        )}
      </Suspense>
    </>
  );
}

/** The choices for a need: those that ship with Weft, then fitting ones of this server. */
async function choicesFor(need: TemplateNeed): Promise<Choice[]> {
  const isHere = !isOfShop(need) || (await readShop()).here;
  const shipped = isHere ? shippedFor(need) : undefined;
  const others = (await existing(need)).filter(({ value }) => value !== shipped?.value);
  return shipped ? [shipped, ...others] : others;
}

async function existing({ kind, kinds = [] }: TemplateNeed): Promise<Choice[]> {
  switch (kind) {
    case 'model': {
      const models = (await listModels()).filter(
        ({ use, provider }) => use === 'chat' && provider !== 'demo',
      );
      return models.map(({ id, provider }) => ({
        value: id,
        title: id,
        text: `Of the provider ${provider}.`,
      }));
    }
    case 'connection': {
      const fitting = (await listConnections()).filter((one) => kinds.includes(one.kind));
      return fitting.map((one) => ({
        value: one.name,
        title: one.name,
        text: [connectionKinds[one.kind].title, connectionPlace(one)].join(' · '),
      }));
    }
    case 'space':
      return (await listSpaces()).map(({ name, description }) => ({
        value: name,
        title: name,
        text: description || 'A knowledge space of this server.',
      }));
    case 'secret':
      return (await listSecrets()).map(({ name }) => ({
        value: name,
        title: name,
        text: 'A secret of this server.',
      }));
  }
}
