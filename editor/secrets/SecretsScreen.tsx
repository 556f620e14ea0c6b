import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { KeyRound, Plus, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { SecretInfo } from '#shared/api.ts';
import { listSecrets } from '../api/flows.ts';
import { HomeBar } from '../session/HomeBar.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { countText } from '../ui/format.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { SecretTable } from './SecretTable.tsx';

const SecretDialog = lazy(() =>
  import('./SecretDialog.tsx').then((file) => ({ default: file.SecretDialog })),
);
const DeleteDialog = lazy(() =>
  import('./DeleteDialog.tsx').then((file) => ({ default: file.DeleteDialog })),
);

/** The open dialog: for an existing secret, or for a new one. */
type Asked =
  | { readonly kind: 'edit'; readonly secret: SecretInfo | undefined }
  | { readonly kind: 'delete'; readonly secret: SecretInfo };

/** Passwords and tokens that flows use by name: their names and grants, never their values. */
export function SecretsScreen() {
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: listSecrets });
  const [asked, setAsked] = useState<Asked>();
  useEffect(tellFirstPicture, []);
  const close = (): void => setAsked(undefined);
  const onNew = (): void => setAsked({ kind: 'edit', secret: undefined });
  return (
    <>
      <HomeBar />
      <main className="min-h-0 flex-1 overflow-y-auto bg-surface-2">
        <div className="mx-auto flex min-h-full max-w-300 flex-col gap-3 px-4 py-5">
          <div className="flex flex-wrap items-center gap-2">
            <h1 className="mr-auto text-lg font-semibold">
              Secrets
              {secrets.data && (
                <span className="ml-2 text-xs font-normal text-text-2">
                  {countText(secrets.data.length, 'secret')}
                </span>
              )}
            </h1>
            <Button variant="primary" icon={Plus} onClick={onNew}>
              New secret
            </Button>
          </div>
          {secrets.data && secrets.data.length > 0 ? (
            <SecretTable
              secrets={secrets.data}
              onEdit={(secret) => setAsked({ kind: 'edit', secret })}
              onDelete={(secret) => setAsked({ kind: 'delete', secret })}
            />
          ) : (
            <NoSecrets secrets={secrets} />
          )}
        </div>
      </main>
      <Suspense fallback={null}>
        {asked?.kind === 'edit' && (
          <SecretDialog secret={asked.secret} all={secrets.data ?? []} onClose={close} />
        )}
        {asked?.kind === 'delete' && <DeleteDialog secret={asked.secret} onClose={close} />}
      </Suspense>
    </>
  );
}

function NoSecrets({ secrets }: { secrets: UseQueryResult<SecretInfo[]> }) {
  if (secrets.isError) {
    return (
      <EmptyState
        icon={TriangleAlert}
        title="The secrets could not be loaded"
        action={<Button onClick={() => void secrets.refetch()}>Try again</Button>}
      >
        {secrets.error.message}
      </EmptyState>
    );
  }
  if (!secrets.data) {
    return (
      <div className="m-auto text-text-2">
        <Spinner label="Loading the secrets" className="size-6" />
      </div>
    );
  }
  return (
    <EmptyState icon={KeyRound} title="No secrets yet">
      A secret is a password or token that nodes use by its name, so that no flow contains it. It is stored
      encrypted, is never shown again, and works only where it is granted. One in the environment of the
      server, such as <code>WEFT_SECRET_TOKEN</code>, appears here automatically.
    </EmptyState>
  );
}
