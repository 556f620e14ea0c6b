import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { WaitInfo } from '#shared/wait.ts';
import { useFlowNames } from '../session/use-flow-names.ts';
import { JsonView } from '../ui/JsonView.tsx';
import { expiryWords } from './wait-labels.ts';

const MarkdownText = lazy(() => import('../ui/MarkdownText.tsx'));

/** A question of a run: the text, its data, and where it comes from. */
export function Question({ wait }: { wait: WaitInfo }) {
  const { ask, flow, run } = wait;
  const nameOf = useFlowNames();
  const until = expiryWords(wait, Date.now());
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-text-2">
        Asked by{' '}
        <Link to="/runs/$id" params={{ id: run }} className="text-accent underline">
          <bdi>{nameOf(flow)}</bdi>
        </Link>
        {ask.who !== undefined && <> · for {ask.who}</>}
        {until !== undefined && <> · {until}</>}
      </p>
      {ask.text !== undefined && (
        <Suspense fallback={<p className="whitespace-pre-wrap">{ask.text}</p>}>
          <MarkdownText text={ask.text} />
        </Suspense>
      )}
      {ask.tool !== undefined && (
        <p>
          <strong>{ask.tool.agent}</strong> wants to use <code>{ask.tool.name}</code>
          {ask.tool.description === undefined ? '.' : `: ${ask.tool.description}`} You may change what it is
          called with.
        </p>
      )}
      {ask.data !== undefined && (ask.tool === undefined || wait.status !== 'open') && (
        <div className="rounded-md border border-line bg-surface-2 px-2 pb-2">
          <JsonView value={ask.data} label="the data" asText />
        </div>
      )}
    </div>
  );
}
