import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { SignInProvider, SignInProviders } from '#shared/sign-in.ts';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { DropZone } from '../ui/DropZone.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { ADDRESSES, type Grant, GRANTS, matches, type SignInDraft } from './sign-in-draft.ts';

interface FieldsProps {
  provider: SignInProvider;
  draft: SignInDraft;
  onChange(more: Partial<SignInDraft>): void;
}

interface AppFieldsProps extends FieldsProps {
  redirect: Pick<SignInProviders, 'redirect' | 'isLocal'>;
  hasSecret: boolean;
}

/** The app that is registered with the provider, and who signs in. */
export function AppFields({ provider, redirect, draft, hasSecret, onChange }: AppFieldsProps) {
  const { grant } = draft;
  return (
    <>
      {provider.grants.length > 1 && (
        <Field label="Who signs in">
          <Select
            value={grant}
            onValueChange={(next: Grant) => onChange({ grant: next })}
            options={provider.grants.map((one) => ({ value: one, label: GRANTS[one] }))}
          />
        </Field>
      )}
      <Registration provider={provider} grant={grant} redirect={redirect} />
      {provider.name === 'other' && <ByHand draft={draft} onChange={onChange} />}
      {grant === 'jwt' ? (
        <ServiceAccount draft={draft} hasSecret={hasSecret} onChange={onChange} />
      ) : (
        <Client draft={draft} hasSecret={hasSecret} onChange={onChange} />
      )}
      {provider.tenant && (
        <Field label={provider.tenant.label} help={provider.tenant.doc}>
          <Input
            mono
            value={draft.tenant}
            placeholder={provider.tenant.default}
            onValueChange={(tenant) => onChange({ tenant })}
          />
        </Field>
      )}
    </>
  );
}

interface RegistrationProps {
  provider: SignInProvider;
  grant: Grant;
  redirect: Pick<SignInProviders, 'redirect' | 'isLocal'>;
}

function Registration({ provider, grant, redirect }: RegistrationProps) {
  const { url, steps } = provider.register;
  return (
    <div className="flex flex-col gap-2 rounded-md bg-surface-2 p-3">
      <p className="text-xs">{steps}</p>
      {url !== '' && (
        <p className="text-xs">
          <a
            href={url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex items-center gap-1 text-accent-strong underline"
          >
            Register an app with {provider.title}
            <ExternalLink aria-hidden className="size-3" />
          </a>
        </p>
      )}
      {grant === 'code' && (
        <>
          <CopyBlock title="Redirect address" text={redirect.redirect} label="Copy the redirect address" />
          {redirect.isLocal && (
            <p className="text-xs text-text-2">
              The server has no public address, so the browser that signs in must be on its machine.
              WEFT_PUBLIC_URL sets one.
            </p>
          )}
        </>
      )}
    </div>
  );
}

function Client({ draft, hasSecret, onChange }: Omit<AppFieldsProps, 'provider' | 'redirect'>) {
  return (
    <>
      <Field label="Client id" required>
        <Input mono value={draft.clientId} onValueChange={(clientId) => onChange({ clientId })} />
      </Field>
      <Field
        label="Client secret"
        help={
          hasSecret
            ? 'Stored. Empty: it stays as it is, unless the app or an address changes.'
            : 'Stored encrypted, and never shown again. Empty for an app without one.'
        }
      >
        <Input
          type="password"
          value={draft.secret}
          autoComplete="new-password"
          onValueChange={(secret) => onChange({ secret })}
        />
      </Field>
    </>
  );
}

function ServiceAccount({ draft, hasSecret, onChange }: Omit<AppFieldsProps, 'provider' | 'redirect'>) {
  const [fault, setFault] = useState<string>();
  const account = emailIn(draft.secret);
  async function take([file]: readonly File[]): Promise<void> {
    const text = (await file?.text()) ?? '';
    const isKey = emailIn(text) !== undefined;
    setFault(isKey ? undefined : 'This is not the JSON file of a service account’s key.');
    if (isKey) onChange({ secret: text });
  }
  return (
    <>
      <Field label="Key of the service account" required error={fault}>
        <DropZone
          label="the JSON file of the key"
          many={false}
          accept={['application/json', '.json']}
          onFiles={(files) => void take(files)}
        />
      </Field>
      <p role="status" className="text-xs text-text-2">
        {account === undefined
          ? hasSecret
            ? 'A key is stored. Another file replaces it.'
            : 'The file stays encrypted here, and is never shown again.'
          : `The key of ${account}.`}
      </p>
      <Field
        label="Acts for"
        help="A person of the domain, if its administrator allowed that; empty: itself."
      >
        <Input
          value={draft.subject}
          placeholder="ada@example.com"
          onValueChange={(subject) => onChange({ subject })}
        />
      </Field>
    </>
  );
}

function emailIn(text: string): string | undefined {
  try {
    const { client_email: email, private_key: key } = JSON.parse(text) as Record<string, unknown>;
    return typeof email === 'string' && typeof key === 'string' ? email : undefined;
  } catch {
    return undefined;
  }
}

function ByHand({ draft, onChange }: Pick<FieldsProps, 'draft' | 'onChange'>) {
  const set = (name: string, value: string): void => onChange({ byHand: { ...draft.byHand, [name]: value } });
  const field = ({ name, label, help }: (typeof ADDRESSES)[number]) => (
    <Field key={name} label={label} help={help} required={name === 'address'}>
      <Input
        mono
        value={draft.byHand[name] ?? ''}
        placeholder="https://"
        onValueChange={(value) => set(name, value)}
      />
    </Field>
  );
  return (
    <>
      {ADDRESSES.filter((one) => 'isFirst' in one).map(field)}
      <details className="rounded-md border border-line px-3 py-2">
        <summary className="cursor-pointer text-xs font-medium">Addresses by hand</summary>
        <div className="mt-2 flex flex-col gap-3">
          {ADDRESSES.filter((one) => !('isFirst' in one)).map(field)}
          <Field label="How the secret is sent">
            <Select<string>
              value={draft.byHand['clientAuth'] || 'basic'}
              onValueChange={(value) => set('clientAuth', value)}
              options={[
                { value: 'basic', label: 'In a header (Basic)' },
                { value: 'post', label: 'In the body' },
                { value: 'none', label: 'Not at all' },
              ]}
            />
          </Field>
        </div>
      </details>
    </>
  );
}

/** From here on a list of scopes has a search. */
const MANY = 10;

/** The actions that flows are allowed, by purpose. */
export function ScopeFields({ provider, draft, onChange }: FieldsProps) {
  const [words, setWords] = useState('');
  const { scopes } = provider;
  const shown = scopes.filter(({ label, group = '', scope }) => matches(words, label, group, scope));
  const groups = Map.groupBy(shown, ({ group = '' }) => group);
  const tick = (scope: string, on: boolean): void =>
    onChange({ scopes: on ? [...draft.scopes, scope] : draft.scopes.filter((one) => one !== scope) });
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">What flows may do</legend>
      {scopes.length > MANY && (
        <SearchInput label="Search what flows may do" value={words} onValueChange={setWords} />
      )}
      {[...groups].map(([group, some]) => (
        <div key={group} role="group" aria-label={group || 'Scopes'} className="flex flex-col gap-1.5">
          {group !== '' && <h4 className="text-xs font-medium text-text-2">{group}</h4>}
          {some.map(({ scope, label }) => (
            <label key={scope} className="flex items-center gap-2 text-xs">
              <Checkbox
                label={`${group === '' ? '' : `${group}: `}${label}`}
                checked={draft.scopes.includes(scope)}
                onCheckedChange={(on) => tick(scope, on)}
              />
              {label}
            </label>
          ))}
        </div>
      ))}
      <Field
        label={scopes.length > 0 ? 'Further scopes' : 'Scopes'}
        help="As the provider writes them, separated by spaces."
      >
        <Input mono value={draft.more} onValueChange={(more) => onChange({ more })} />
      </Field>
    </fieldset>
  );
}
