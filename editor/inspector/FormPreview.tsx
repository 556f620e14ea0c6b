import { ExternalLink } from 'lucide-react';
import { normalisePath } from '#engine/check';
import { embedSnippet } from '../apps/embed.ts';
import { draftFormAt, liveFormAt } from '../api/trigger-call.ts';
import { useEditor, useSync } from '../session/session.tsx';
import { FORM_TRIGGER } from '../model/form/triggers.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { EmbedSnippet } from '../ui/EmbedSnippet.tsx';
import { Section } from './Section.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** The page of a form, or of a question to people, as it was saved last; of a form also its address. */
export function FormPreview({ id }: { id: string }) {
  const operator = useEditor((state) => nodeIn(state.doc.flow, id)?.operator);
  const path = useEditor((state) => nodeIn(state.doc.flow, id)?.params?.['path']);
  const origins = useEditor((state) => nodeIn(state.doc.flow, id)?.params?.['origins']);
  const title = useEditor((state) => nodeIn(state.doc.flow, id)?.params?.['title']);
  const isForm = operator === FORM_TRIGGER;
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const address =
    isForm && typeof path === 'string' && path.trim() !== '' ? liveFormAt(normalisePath(path)) : undefined;
  return (
    <Section title="Preview">
      {address !== undefined && (
        <div className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 flex-1 truncate text-xs" title={address}>
            {address}
          </code>
          <CopyButton label="Copy the address of the form" text={address} />
          {isLive && (
            <a
              href={address}
              target="_blank"
              rel="noreferrer"
              className="inline-flex shrink-0 items-center gap-1 rounded-sm text-xs text-accent hover:underline"
            >
              <ExternalLink aria-hidden className="size-3.5" />
              Open
            </a>
          )}
        </div>
      )}
      {isForm && !isLive && (
        <p className="text-xs text-text-2">The flow is not live yet, so nobody can open the form there.</p>
      )}
      <Page id={id} operator={operator} />
      {address !== undefined && Array.isArray(origins) && origins.length > 0 && (
        <EmbedSnippet text={embedSnippet(address, typeof title === 'string' ? title : 'Form')} />
      )}
    </Section>
  );
}

/** The server renders it, which does not know a new node until the flow is saved. */
function Page({ id, operator }: { id: string; operator: string | undefined }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const revision = useEditor((state) => state.revision);
  const isSaved = useEditor((state) => nodeIn(state.saved.flow, id)?.operator === operator);
  if (!isSaved) return <p className="text-xs text-text-2">The page is shown here once the flow is saved.</p>;
  return (
    <iframe
      key={revision}
      title="Preview of the form"
      src={draftFormAt(flow, id)}
      // Without scripts and forms; of the same origin only so that it has the font of the page.
      sandbox="allow-same-origin"
      className="h-96 w-full rounded-md border border-line bg-surface"
    />
  );
}
