import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { PublicPage } from '#shared/public-page.ts';
import { getPublicPage, savePublicPage } from '../api/apps.ts';
import { publicPageAt } from '../api/trigger-call.ts';
import { Loaded } from '../session/Loaded.tsx';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { EmbedSnippet } from '../ui/EmbedSnippet.tsx';
import { Field } from '../ui/Field.tsx';
import { Input, TextArea } from '../ui/Input.tsx';
import { Switch } from '../ui/Switch.tsx';
import { toast } from '../ui/toast.ts';
import { embedSnippet, originsFault, originsIn } from './embed.ts';

/** The public chat page of an app: whether it is open, what it says, and where it may be shown. */
export function PublicPageSection({ code, name }: { code: string; name: string }) {
  const page = useQuery({ queryKey: ['public-page', code], queryFn: () => getPublicPage(code), gcTime: 0 });
  return (
    <section
      aria-label="Public page"
      className="mt-4 flex max-w-3xl flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <h2 className="text-sm font-semibold">Public page</h2>
      {page.data ? (
        <PublicPageForm code={code} name={name} kept={page.data} />
      ) : (
        <Loaded query={page} what="the public page">
          {() => null}
        </Loaded>
      )}
    </section>
  );
}

function PublicPageForm({ code, name, kept }: { code: string; name: string; kept: PublicPage }) {
  const [page, setPage] = useState(kept);
  const [origins, setOrigins] = useState(kept.origins.join('\n'));
  const { busy, error, save } = useSavePage(code);
  const fault = originsFault(origins);
  const address = publicPageAt(code);
  const patch = (more: Partial<PublicPage>): void => setPage({ ...page, ...more });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === undefined && !busy) void save({ ...page, origins: originsIn(origins) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <label className="flex items-center gap-2">
        <Switch checked={page.open} onCheckedChange={(open) => patch({ open })} />
        <span>Anyone who has the address may chat with this app, without a login</span>
      </label>
      {page.open && (
        <OpenFields address={address} kept={kept} page={page} onChange={patch}>
          <Field
            label="Sites that may show it"
            help="Their origins, one on each line. No other site can show the page in a frame."
            error={fault}
          >
            <TextArea
              rows={2}
              mono
              value={origins}
              onValueChange={setOrigins}
              placeholder="https://shop.example.com"
            />
          </Field>
          {originsIn(origins).length > 0 && <EmbedSnippet text={embedSnippet(address, name)} />}
        </OpenFields>
      )}
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <div>
        <Button type="submit" busy={busy} disabled={fault !== undefined}>
          Save the public page
        </Button>
      </div>
    </form>
  );
}

interface OpenFieldsProps {
  address: string;
  kept: PublicPage;
  page: PublicPage;
  onChange(more: Partial<PublicPage>): void;
  children: ReactNode;
}

/** The fields that matter only while the page is open. */
function OpenFields({ address, kept, page, onChange, children }: OpenFieldsProps) {
  return (
    <>
      <Address address={address} isOpen={kept.open} />
      <Field label="Greeting" help="The greeting of the page, in Markdown.">
        <TextArea
          rows={3}
          maxLength={2000}
          value={page.greeting}
          onValueChange={(greeting) => onChange({ greeting })}
        />
      </Field>
      <Count
        label="Messages a minute"
        help="For each address. Further messages are refused for a moment."
        most={1000}
        value={page.perMinute}
        onChange={(perMinute) => onChange({ perMinute })}
      />
      <Count
        label="Messages a day"
        help="All addresses together. It limits the cost of the page."
        most={100_000}
        value={page.perDay}
        onChange={(perDay) => onChange({ perDay })}
      />
      <label className="flex items-center gap-2">
        <Switch checked={page.files} onCheckedChange={(files) => onChange({ files })} />
        <span>Messages may have files, which are stored on this server</span>
      </label>
      {children}
    </>
  );
}

function Address({ address, isOpen }: { address: string; isOpen: boolean }) {
  return (
    <div className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 flex-1 truncate text-xs" title={address}>
        {address}
      </code>
      <CopyButton label="Copy the address of the page" text={address} />
      {isOpen ? (
        <a
          href={address}
          target="_blank"
          rel="noreferrer"
          className="inline-flex shrink-0 items-center gap-1 rounded-sm text-xs text-accent hover:underline"
        >
          <ExternalLink aria-hidden className="size-3.5" />
          Open
        </a>
      ) : (
        <span className="shrink-0 text-xs text-text-2">open once it is saved</span>
      )}
    </div>
  );
}

interface CountProps {
  label: string;
  help: string;
  most: number;
  value: number;
  onChange: (value: number) => void;
}

/** A field for a whole number from one on. */
function Count({ label, help, most, value, onChange }: CountProps) {
  return (
    <Field label={label} help={help}>
      <Input
        type="number"
        min={1}
        max={most}
        value={String(value)}
        onValueChange={(text) => onChange(Math.min(most, Math.max(1, Number(text) || 1)))}
      />
    </Field>
  );
}

function useSavePage(code: string) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  async function save(page: PublicPage): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      queries.setQueryData(['public-page', code], await savePublicPage(code, page));
      toast(page.open ? 'The public page is open' : 'The public page is closed', { kind: 'success' });
    } catch (failure) {
      setError((failure as Error).message);
    } finally {
      setBusy(false);
    }
  }
  return { busy, error, save };
}
