import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { SecretInfo } from '#shared/api.ts';
import { listSecrets, removeSecret } from '../api/flows.ts';
import { LongList } from '../lists/LongList.tsx';
import { NameUsedBy } from '../lists/UsedBy.tsx';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { useOpened } from '../session/use-opened.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { SecretTable } from './SecretTable.tsx';

const SecretDialog = lazy(() =>
  import('./SecretDialog.tsx').then((file) => ({ default: file.SecretDialog })),
);

/** The open dialog: for an existing secret, or for a new one. */
type Asked =
  | { readonly kind: 'edit'; readonly secret: SecretInfo | undefined }
  | { readonly kind: 'delete'; readonly secret: SecretInfo };

/** Passwords and tokens that flows use by name: their names and grants, never their values. */
export function SecretsScreen() {
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: listSecrets });
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  useOpened(secrets.data, (secret) => setAsked({ kind: 'edit', secret }));
  return (
    <HomePage
      title="Secrets"
      count={secrets.data && countText(secrets.data.length, 'secret')}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setAsked({ kind: 'edit', secret: undefined })}>
          New secret
        </Button>
      }
    >
      <Loaded query={secrets} what="the secrets">
        {(all) =>
          all.length > 0 ? (
            <LongList items={all} noun="secret" textOf={({ name }) => name}>
              {(shown) => (
                <SecretTable
                  secrets={shown}
                  onEdit={(secret) => setAsked({ kind: 'edit', secret })}
                  onDelete={(secret) => setAsked({ kind: 'delete', secret })}
                />
              )}
            </LongList>
          ) : (
            <NoSecrets onNew={() => setAsked({ kind: 'edit', secret: undefined })} />
          )
        }
      </Loaded>
      <Suspense fallback={null}>
        {asked?.kind === 'edit' && (
          <SecretDialog secret={asked.secret} all={secrets.data ?? []} onClose={close} />
        )}
      </Suspense>
      {asked?.kind === 'delete' && <DeleteSecret secret={asked.secret} onClose={close} />}
    </HomePage>
  );
}

/** Asks first, since a deleted value cannot be restored. */
function DeleteSecret({ secret: { name }, onClose }: { secret: SecretInfo; onClose(): void }) {
  const { busy, error, change } = useChange(['secrets', 'world', 'flows'], onClose);
  return (
    <ConfirmDialog
      title={`Delete the secret “${name}”?`}
      description="Its value cannot be restored."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeSecret(name))}
      onClose={onClose}
    >
      <NameUsedBy of="secrets" name={name} />
    </ConfirmDialog>
  );
}

function NoSecrets({ onNew }: { onNew(): void }) {
  return (
    <EmptyState
      icon={KeyRound}
      title="No secrets yet"
      steps={[
        'Give it a name and its value: a password, a token, a key.',
        'Grant it to the hosts that may receive it; anywhere else it is refused.',
        'Choose it by its name in the settings of a node.',
      ]}
      action={
        <Button variant="primary" icon={Plus} onClick={onNew}>
          Create the first secret
        </Button>
      }
    >
      A secret is a password or token that nodes use by its name, so that no flow contains it. It is stored
      encrypted, is never shown again, and works only where it is granted. One in the environment of the
      server, such as <code>WEFT_SECRET_TOKEN</code>, appears here automatically.
    </EmptyState>
  );
}
