import { useContext, useState } from 'react';
import type { SecretInfo } from '#shared/api.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import type { SecretGrants } from '#shared/secret.ts';
import { saveSecret } from '../api/flows.ts';
import { emptyHelp } from '../form/empty-grant.ts';
import { Proposed, type ProposedThing } from '../form/proposed.ts';
import { ThingsPicker } from '../form/ThingPicker.tsx';
import { useChange } from '../session/use-change.ts';
import { useGrantNames } from '../session/use-grant-names.ts';
import { Field } from '../ui/Field.tsx';
import { Fold } from '../ui/Fold.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input } from '../ui/Input.tsx';
import { type GrantList, grantsOf, grantWords, namesIn, textsOf } from './grants.ts';

interface SecretDialogProps {
  /** The secret to change; undefined for a new one. */
  secret: SecretInfo | undefined;
  all: readonly SecretInfo[];
  /** Takes the name of one that was saved. */
  onMade?(name: string): void;
  onClose(): void;
}

/** Name and value of a secret, and its grants. The value is entered here and never shown again. */
export function SecretDialog({ secret, all, onMade, onClose }: SecretDialogProps) {
  const proposed = useContext(Proposed);
  const before = secret?.grants ?? {};
  const [name, setName] = useState(secret?.name ?? proposed.name ?? '');
  const [value, setValue] = useState('');
  const [grants, setGrants] = useState(() => textsOf(secret ? before : offered(proposed)));
  const { busy, error, change } = useChange(['secrets', 'world', 'flows'], () => {
    onMade?.(name);
    onClose();
  });
  const fault = secret ? undefined : nameFault(name, all);
  const isReady = fault === undefined && (secret !== undefined || (name !== '' && value !== ''));
  const save = () => saveSecret(name, { ...(value !== '' && { value }), grants: grantsOf(grants, before) });
  const submit = (): void => void change(save);
  return (
    <FormDialog
      title={secret ? `Change the secret “${secret.name}”` : 'New secret'}
      action="Save"
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {!secret && (
        <Field
          label="Name"
          required
          help="Nodes use it by this name, which cannot be changed later."
          error={fault}
        >
          <Input autoFocus mono maxLength={64} value={name} onValueChange={setName} placeholder="api_token" />
        </Field>
      )}
      <ValueField secret={secret} value={value} onValue={setValue} />
      <Grants grants={grants} before={before} onGrants={setGrants} />
    </FormDialog>
  );
}

/** A secret has no grant for drafts. */
function offered({ grants: { flows, operators } = {} }: ProposedThing): SecretGrants {
  return { ...(flows && { flows }), ...(operators && { operators }) };
}

interface ValueFieldProps {
  secret: SecretInfo | undefined;
  value: string;
  onValue(value: string): void;
}

function ValueField({ secret, value, onValue }: ValueFieldProps) {
  if (secret?.source === 'environment') {
    return (
      <p className="text-text-2">
        Its value comes from <code>WEFT_SECRET_{secret.name.toUpperCase()}</code> in the environment of the
        server.
      </p>
    );
  }
  return (
    <Field
      label={secret ? 'New value' : 'Value'}
      required={!secret}
      help={secret ? 'Empty: the value stays unchanged.' : 'It is stored encrypted and never shown again.'}
    >
      <Input
        type="password"
        autoComplete="new-password"
        mono
        maxLength={65_536}
        value={value}
        onValueChange={onValue}
      />
    </Field>
  );
}

interface GrantsProps {
  grants: ReturnType<typeof textsOf>;
  /** As they are stored. */
  before: SecretGrants;
  onGrants(grants: ReturnType<typeof textsOf>): void;
}

function Grants({ grants, before, onGrants }: GrantsProps) {
  const typed = grantsOf(grants, before);
  const who = grantWords(typed, useGrantNames());
  const isNobody = who === undefined;
  const [wasNobody] = useState(isNobody);
  const set = (list: GrantList, text: string): void => onGrants({ ...grants, [list]: text });
  return (
    <Fold title="Who may use it" summary={who ?? 'Nobody yet'} isOpen={wasNobody}>
      <p className="text-xs text-text-2">
        {isNobody ? 'Nobody yet: fill in at least one of these.' : 'A use must match all filled-in fields.'}
      </p>
      <Field label="Operators" help={emptyHelp(typed.operators, isNobody, 'any type of node')}>
        <ThingsPicker
          of="operator"
          inDialog
          label="Operators"
          values={namesIn(grants.operators)}
          onChange={(names) => set('operators', names.join(', '))}
        />
      </Field>
      <Field
        label="Hosts"
        help={`Where it may be sent, by https; http://host and host:port allow other ways. ${emptyHelp(typed.hosts, isNobody, 'anywhere') ?? ''}`.trim()}
      >
        <Input
          mono
          value={grants.hosts}
          placeholder="api.example.com, *.example.org"
          onValueChange={(text) => set('hosts', text)}
        />
      </Field>
      <Field label="Flows" help={emptyHelp(typed.flows, isNobody, 'any flow')}>
        <ThingsPicker
          of="flow"
          inDialog
          label="Flows"
          isFree
          values={namesIn(grants.flows)}
          onChange={(names) => set('flows', names.join(', '))}
        />
      </Field>
    </Fold>
  );
}

function nameFault(name: string, all: readonly SecretInfo[]): string | undefined {
  if (name === '') return undefined;
  if (!ID_PATTERN.test(name)) return 'A lower-case letter, then a-z, 0-9 and _ (at most 64).';
  return all.some((secret) => secret.name === name) ? 'A secret with this name already exists.' : undefined;
}
