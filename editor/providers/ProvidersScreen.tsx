import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ProviderInfo } from '#shared/model-provider.ts';
import { listProviders, removeProvider } from '../api/models.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { countText } from '../ui/format.ts';
import { ModelNames } from './ModelNames.tsx';
import { ProviderTable } from './ProviderTable.tsx';

const ProviderDialog = lazy(() =>
  import('./ProviderDialog.tsx').then((file) => ({ default: file.ProviderDialog })),
);

/** All queries that depend on the models. */
const READS = ['providers', 'models', 'model-settings', 'partners'];

type Asked =
  | { readonly kind: 'edit'; readonly provider: ProviderInfo | undefined }
  | { readonly kind: 'delete'; readonly provider: ProviderInfo };

/** The sources of models; keys are secrets, and only their names are visible here. */
export function ProvidersScreen() {
  const providers = useQuery({ queryKey: ['providers'], queryFn: listProviders });
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  return (
    <HomePage
      title="Models"
      count={providers.data && countText(providers.data.length, 'provider')}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setAsked({ kind: 'edit', provider: undefined })}>
          New provider
        </Button>
      }
    >
      <ModelNames reads={READS} />
      <Loaded query={providers} what="the providers">
        {(all) => (
          <ProviderTable
            providers={all}
            onEdit={(provider) => setAsked({ kind: 'edit', provider })}
            onDelete={(provider) => setAsked({ kind: 'delete', provider })}
          />
        )}
      </Loaded>
      <Suspense fallback={null}>
        {asked?.kind === 'edit' && (
          <ProviderDialog
            provider={asked.provider}
            all={providers.data ?? []}
            reads={READS}
            onClose={close}
          />
        )}
      </Suspense>
      {asked?.kind === 'delete' && <Deletion provider={asked.provider} onClose={close} />}
    </HomePage>
  );
}

function Deletion({ provider: { id }, onClose }: { provider: ProviderInfo; onClose(): void }) {
  const { busy, error, change } = useChange(READS, onClose);
  return (
    <ConfirmDialog
      title={`Delete the provider “${id}”?`}
      description="Flows and apps that name its models fail until there is a provider with this name again. Its secret stays."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeProvider(id))}
      onClose={onClose}
    />
  );
}
