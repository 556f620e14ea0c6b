import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ModelInfo, ModelSettings, ModelSettingsInfo } from '#shared/model-provider.ts';
import { listModels, readModelSettings, saveModelSettings } from '../api/models.ts';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';

/** The default model, and other names by which clients can use models. */
export function ModelNames({ reads }: { reads: readonly string[] }) {
  const models = useQuery({ queryKey: ['models'], queryFn: listModels });
  const settings = useQuery({ queryKey: ['model-settings'], queryFn: readModelSettings });
  if (!models.data || !settings.data) return null;
  const chats = models.data.filter(({ use }) => use === 'chat');
  return (
    <>
      <DefaultModel models={chats} settings={settings.data} reads={reads} />
      <Aliases models={models.data} settings={settings.data} reads={reads} />
    </>
  );
}

interface NamesProps {
  models: readonly ModelInfo[];
  settings: ModelSettingsInfo;
  reads: readonly string[];
}

/** The request body: the settings without those that the configuration fixes. */
function bodyOf({ fixed: _, ...settings }: ModelSettingsInfo): ModelSettings {
  return settings;
}

function DefaultModel({ models, settings, reads }: NamesProps) {
  const { busy, error, change } = useChange(reads, () => undefined);
  const used = models.find((model) => model.default);
  const isFixed = settings.fixed.chat !== undefined;
  const make = (chat: string) => change(() => saveModelSettings({ ...bodyOf(settings), chat }));
  return (
    <div className="flex flex-col gap-1 text-text-2">
      <div className="flex flex-wrap items-center gap-2">
        <span>Default model: {used ? <code className="font-mono text-text">{used.id}</code> : 'none'}</span>
        <Select
          label="Default model"
          value={used?.id}
          onValueChange={(id) => void make(id)}
          options={models.map(({ id }) => ({ value: id, label: id }))}
          disabled={isFixed || busy}
          isData
          className="w-64"
        />
      </div>
      {isFixed && <p className="text-xs">WEFT_MODEL sets it; change it there.</p>}
      {!isFixed && used?.provider === 'demo' && (
        <p className="text-xs">
          It needs no key and always gives the same answer; add a provider for real models.
        </p>
      )}
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

interface Row {
  readonly alias: string;
  readonly model: string;
}

function Aliases({ models, settings, reads }: NamesProps) {
  const kept = Object.entries(settings.aliases).map(([alias, model]): Row => ({ alias, model }));
  const [rows, setRows] = useState<readonly Row[]>();
  const { busy, error, change } = useChange(reads, () => setRows(undefined));
  const shown = rows ?? kept;
  const fixed = Object.entries(settings.fixed.aliases);
  const isReady = shown.every(({ alias, model }) => alias.trim() !== '' && model !== '');
  const set = (at: number, more: Partial<Row>): void =>
    setRows(shown.map((row, i) => (i === at ? { ...row, ...more } : row)));
  const save = () => {
    const aliases = Object.fromEntries(shown.map(({ alias, model }) => [alias.trim(), model]));
    return change(() => saveModelSettings({ ...bodyOf(settings), aliases }));
  };
  return (
    <section aria-label="Other names" className="flex flex-col gap-2">
      <p className="text-text-2">
        Aliases let clients ask for a model by a name of their own, such as{' '}
        <code className="font-mono">chatgpt_proxyllm</code>.
      </p>
      {fixed.map(([alias, model]) => (
        <p key={alias} className="font-mono text-xs text-text-2">
          {alias} → {model} (WEFT_MODEL_ALIASES)
        </p>
      ))}
      {shown.map(({ alias, model }, at) => (
        <AliasRow
          key={at}
          number={at + 1}
          row={{ alias, model }}
          models={models}
          onChange={(more) => set(at, more)}
          onRemove={() => setRows(shown.filter((_, i) => i !== at))}
        />
      ))}
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <div className="flex gap-2">
        <Button size="sm" icon={Plus} onClick={() => setRows([...shown, { alias: '', model: '' }])}>
          Add another name
        </Button>
        {rows && (
          <Button size="sm" variant="primary" busy={busy} disabled={!isReady} onClick={() => void save()}>
            Save names
          </Button>
        )}
      </div>
    </section>
  );
}

interface AliasRowProps {
  number: number;
  row: Row;
  models: readonly ModelInfo[];
  onChange(more: Partial<Row>): void;
  onRemove(): void;
}

function AliasRow({ number, row: { alias, model }, models, onChange, onRemove }: AliasRowProps) {
  return (
    <div className="flex items-center gap-1.5">
      <Input
        mono
        aria-label={`Other name ${number}`}
        placeholder="chatgpt_proxyllm"
        value={alias}
        onValueChange={(next) => onChange({ alias: next })}
        className="w-64"
      />
      <Select
        label={`Model of other name ${number}`}
        value={model === '' ? undefined : model}
        onValueChange={(next) => onChange({ model: next })}
        options={models.map(({ id }) => ({ value: id, label: id }))}
        isData
        className="w-64"
      />
      <IconButton size="sm" icon={Trash2} label={`Remove other name ${number}`} onClick={onRemove} />
    </div>
  );
}
