import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { grantFor } from '#shared/secret.ts';
import { saveSecret } from '../api/flows.ts';
import type { FoundSecret as Found } from '../model/curl/credentials.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';

/** A password or token in the command: the flow only names it, so it must be stored on the server. */
export function FoundSecret({ secret, url }: { secret: Found; url: string }) {
  const { editor } = useSession();
  const queries = useQueryClient();
  const isKept = useEditor((state) => state.world.secrets?.includes(secret.name) ?? false);
  const [state, setState] = useState<'asked' | 'saving' | 'saved'>('asked');
  const [error, setError] = useState<string>();
  const host = URL.canParse(url) ? grantFor(new URL(url).origin) : undefined;

  async function save(): Promise<void> {
    setState('saving');
    try {
      const grants = { operators: ['http.request'], ...(host !== undefined && { hosts: [host] }) };
      await saveSecret(secret.name, { value: secret.value, grants });
      const { catalog, world, setCatalog } = editor.getState();
      setCatalog(catalog, { ...world, secrets: [...(world.secrets ?? []), secret.name] });
      await queries.invalidateQueries({ queryKey: ['world'] });
      setState('saved');
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      setState('asked');
    }
  }

  return (
    <section aria-label="Secret" className="flex flex-col gap-2 rounded-md border border-line p-2 text-xs">
      <p>
        The command holds a password or token. It does not go into the flow, which only names the secret{' '}
        <code className="font-mono">{secret.name}</code> instead.
      </p>
      {state === 'saved' && <p role="status">It is saved{host && `, for requests to ${host}`}.</p>}
      {state !== 'saved' && isKept && <p>A secret of this name exists already, and will be used.</p>}
      {state !== 'saved' && !isKept && (
        <Button size="sm" className="self-start" busy={state === 'saving'} onClick={() => void save()}>
          Save it as a secret{host && ` for ${host}`}
        </Button>
      )}
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
    </section>
  );
}
