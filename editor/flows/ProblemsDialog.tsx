import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleX } from 'lucide-react';
import type { FlowSummary } from '#shared/api.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { ProseText } from '../ui/ProseText.tsx';

/** All problems of a flow. */
export function ProblemsDialog({ flow, onClose }: { flow: FlowSummary; onClose(): void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Problems of “${flow.name ?? flow.id}”`}
      description={<span className="font-mono text-xs">{flow.file}</span>}
      footer={
        <Link
          to="/flows/$id"
          params={{ id: flow.id }}
          className="inline-flex h-8 items-center rounded-md bg-accent px-3 font-medium text-accent-text hover:brightness-110"
        >
          Open and fix
        </Link>
      }
    >
      <ul className="flex flex-col gap-2">
        {flow.problems.map((problem, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: problems have no identity and no state
          <li key={i} className="flex gap-2">
            {problem.severity === 'error' ? (
              <CircleX aria-label="Error" className="mt-0.5 size-4 shrink-0 text-bad" />
            ) : (
              <CircleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warn" />
            )}
            <span className="min-w-0 break-words">
              {problem.node !== undefined && <span className="font-mono text-xs">{problem.node}: </span>}
              {problem.line !== undefined && (
                <span className="font-mono text-xs text-text-2">line {problem.line}: </span>
              )}
              <ProseText text={problem.message} />
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
