import { ExternalLink } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { normalisePath } from '#engine/check';
import { draftFormAt, liveFormAt } from '../api/trigger-call.ts';
import { publishCommand } from '../commands/file.ts';
import { runWithInputCommand } from '../commands/run.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useEditor, useSync } from '../session/session.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';

const QrCode = lazy(() => import('./QrCode.tsx').then((file) => ({ default: file.QrCode })));

/** Where a form is filled in: its address, also as a QR code for phones. */
export function FormAddress({ node }: { node: string }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const path = useEditor((state) => state.doc.flow.nodes[node]?.params?.['path']);
  const isLive = useSync((sync) => sync.record.version !== undefined);
  if (typeof path !== 'string' || path.trim() === '')
    return <p className="p-3 text-text-2">Give the form a path: it then has an address.</p>;
  const address = liveFormAt(normalisePath(path));
  return (
    <section aria-label="Address of the form" className="flex flex-wrap items-start gap-4 p-3">
      {isLive && (
        <Suspense fallback={<div className="size-36" />}>
          <QrCode text={address} label="QR code of the form" />
        </Suspense>
      )}
      <div className="flex min-w-60 flex-1 flex-col gap-3">
        <div className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 truncate text-xs" title={address}>
            {address}
          </code>
          <CopyButton label="Copy the address of the form" text={address} />
        </div>
        {isLive ? (
          <p className="text-xs text-text-2">
            Whoever has the address can fill in the form, as its settings allow.
          </p>
        ) : (
          <p className="text-xs text-text-2">
            The flow is not published, so nobody can open the form there yet.
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          {isLive ? (
            <a
              href={address}
              target="_blank"
              rel="noreferrer"
              className="inline-flex h-8 items-center gap-1.5 rounded-md bg-accent px-3 font-medium text-accent-text hover:brightness-110"
            >
              <ExternalLink aria-hidden className="size-4" />
              Open the form
            </a>
          ) : (
            <CommandButton command={publishCommand} variant="primary" />
          )}
          <CommandButton command={runWithInputCommand} variant="secondary" label="Fill it in here…" />
          <a
            href={draftFormAt(flow, node)}
            target="_blank"
            rel="noreferrer"
            className="text-xs text-accent underline"
          >
            Preview of the draft
          </a>
        </div>
      </div>
    </section>
  );
}
