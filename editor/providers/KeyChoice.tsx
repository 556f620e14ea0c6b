import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecretInfo } from '#shared/api.ts';
import { grantFor, maySendTo } from '#shared/secret.ts';
import { listSecrets, saveSecret } from '../api/flows.ts';
import { SecretDialog } from '../secrets/SecretDialog.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { Select } from '../ui/Select.tsx';

interface KeyChoiceProps {
  /** Name of the secret; empty for none. */
  secret: string;
  /** The destination of the key: scheme, host and port. */
  origin: string | undefined;
  onChange(secret: string): void;
}

const NONE = '';

/** The secret with the provider's key. It must be granted to the provider's host, which can be done here. */
export function KeyChoice({ secret, origin, onChange }: KeyChoiceProps) {
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: listSecrets });
  const [isNew, setNew] = useState(false);
  const all = secrets.data ?? [];
  const names = [...new Set([...all.map(({ name }) => name), ...(secret === NONE ? [] : [secret])])];
  const chosen = all.find(({ name }) => name === secret);
  return (
    <>
      <Field
        label="API key"
        help="A secret that holds it: neither this form nor the API ever shows it."
        aside={
          <Button size="sm" variant="ghost" onClick={() => setNew(true)}>
            New secret…
          </Button>
        }
      >
        <Select
          value={secret}
          onValueChange={onChange}
          options={[
            { value: NONE, label: 'None: it needs no key' },
            ...names.map((name) => ({ value: name, label: name })),
          ]}
        />
      </Field>
      {chosen && origin !== undefined && <Grant secret={chosen} origin={origin} />}
      {isNew && <SecretDialog secret={undefined} all={all} onMade={onChange} onClose={() => setNew(false)} />}
    </>
  );
}

/** Without a grant the provider gets no key, and that would only show when a model is called. */
function Grant({ secret: { name, grants }, origin }: { secret: SecretInfo; origin: string }) {
  const { busy, error, change } = useChange(['secrets'], () => undefined);
  const hosts = grants.hosts ?? [];
  if (maySendTo(hosts, origin)) return null;
  const host = grantFor(origin);
  return (
    <div
      role="status"
      className="flex items-center gap-2 rounded-md bg-warn-soft px-2.5 py-1.5 text-xs text-warn"
    >
      <span className="min-w-0 flex-1 wrap-anywhere">
        {error ?? `The secret ${name} is not granted to ${host} yet.`}
      </span>
      <Button
        size="sm"
        busy={busy}
        className="text-text"
        onClick={() =>
          void change(() => saveSecret(name, { grants: { ...grants, hosts: [...hosts, host] } }))
        }
      >
        Grant it
      </Button>
    </div>
  );
}
