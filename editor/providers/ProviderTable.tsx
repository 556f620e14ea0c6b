import { EllipsisVertical, PencilLine, Trash2, CircleCheck } from 'lucide-react';
import type { ProviderInfo, ProviderTrial } from '#shared/model-provider.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { originOf, TYPES } from './provider-draft.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { durationText } from '../ui/format.ts';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { tryProvider } from '../api/models.ts';

interface ProviderTableProps {
  providers: readonly ProviderInfo[];
  onEdit(provider: ProviderInfo): void;
  onDelete(provider: ProviderInfo): void;
}

const COLUMNS: readonly Column[] = [
  { name: 'Name', className: 'w-28 sm:w-40' },
  { name: 'Address', className: 'w-64 max-lg:w-40 max-sm:hidden' },
  { name: 'Models' },
  { name: 'Key', className: 'w-34 max-lg:hidden' },
  { name: 'Actions', className: 'w-30', hidden: true },
];

export function ProviderTable({ providers, onEdit, onDelete }: ProviderTableProps) {
  return (
    <ListTable columns={COLUMNS}>
      {providers.map((provider) => (
        <ProviderRow
          key={provider.id}
          provider={provider}
          onEdit={() => onEdit(provider)}
          onDelete={() => onDelete(provider)}
        />
      ))}
    </ListTable>
  );
}

interface ProviderRowProps {
  provider: ProviderInfo;
  onEdit(): void;
  onDelete(): void;
}

function ProviderRow({ provider, onEdit, onDelete }: ProviderRowProps) {
  const { id, models, key } = provider;
  const { trial, busy, attempt } = useTrial(id);
  return (
    <tbody className="border-b border-line last:border-0 hover:bg-surface-2">
      <tr className="align-top [&>td]:px-3 [&>td]:py-2.5">
        <td className="truncate font-mono font-semibold" title={id}>
          {id}
        </td>
        <td className="max-sm:hidden">
          <Reach provider={provider} />
        </td>
        <td>
          <span className="flex flex-wrap gap-1">
            {models.map(({ name, use }) => (
              <Badge
                key={name}
                className="font-mono"
                title={use === 'embedding' ? 'Makes vectors' : 'Answers'}
              >
                {name}
              </Badge>
            ))}
          </span>
        </td>
        <td className="truncate text-xs text-text-2 max-lg:hidden" title={key?.$secret}>
          {key ? <span className="font-mono">{key.$secret}</span> : 'none'}
        </td>
        <td className="!py-1.5">
          <span className="flex items-center justify-end gap-1">
            <Button size="sm" busy={busy} aria-label={`Try ${id}`} onClick={() => void attempt()}>
              Try
            </Button>
            <ProviderMenu provider={provider} onEdit={onEdit} onDelete={onDelete} />
          </span>
        </td>
      </tr>
      {trial && (
        <tr>
          <td colSpan={5} className="px-3 pb-2.5">
            <TrialLine trial={trial} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

const FIXED: Readonly<Partial<Record<ProviderInfo['source'], string>>> = {
  'built-in': 'The demo is always there.',
  environment: 'It comes from WEFT_PROVIDERS; change it there.',
};

function ProviderMenu({ provider: { id, source }, onEdit, onDelete }: ProviderRowProps) {
  const disabled = FIXED[source];
  return (
    <Menu
      trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${id}`} />}
      entries={[
        { id: 'edit', label: 'Change…', icon: PencilLine, disabled, onSelect: onEdit },
        { id: 'separator', separator: true },
        { id: 'delete', label: 'Delete…', icon: Trash2, danger: true, disabled, onSelect: onDelete },
      ]}
    />
  );
}

function Reach({ provider: { type, baseUrl } }: { provider: ProviderInfo }) {
  if (type === 'demo') return <span className="text-text-2">Built in</span>;
  const label = TYPES.find(({ value }) => value === type)?.label;
  const address = baseUrl ?? originOf({ type, baseUrl: '' });
  return (
    <>
      {label}
      <span className="block truncate font-mono text-xs text-text-2" title={address}>
        {address}
      </span>
    </>
  );
}

/** The result of testing a provider. */
function TrialLine({ trial: { ok, model, ms, text, error } }: { trial: ProviderTrial }) {
  if (!ok)
    return <ErrorNote code={error?.code ?? 'internal'} message={error?.message ?? 'It did not answer.'} />;
  return (
    <p role="status" className="flex items-start gap-2 rounded-md bg-ok-soft px-2.5 py-2 text-xs text-ok">
      <CircleCheck aria-hidden className="mt-px size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <span className="font-mono">{model}</span> answered in {durationText(ms)}: {text}
      </span>
    </p>
  );
}

/** Sends a provider a short question, to see whether address, key and name are right. */
function useTrial(id: string) {
  const [trial, setTrial] = useState<ProviderTrial>();
  const [busy, setBusy] = useState(false);

  async function attempt(): Promise<void> {
    setBusy(true);
    setTrial(undefined);
    setTrial(await tryProvider(id).catch(failed));
    setBusy(false);
  }
  return { trial, busy, attempt };
}

/** A trial that could not be made is reported as a failed one. */
function failed(error: unknown): ProviderTrial {
  const { code, message } = error instanceof ApiError ? error : { code: 'internal', message: String(error) };
  return { ok: false, model: '', ms: 0, error: { code, message } };
}
