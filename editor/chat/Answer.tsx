import { Gauge, RotateCcw, Workflow, Wrench } from 'lucide-react';
import { lazy, memo, Suspense, useMemo, useState } from 'react';
import type { AgentMessage } from '#shared/chat-item.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { addressOf, type AnswerPart, citationText, plainText, readBlocks, type Source } from './blocks.ts';
import type { ChatEntry } from './chat-store.ts';
import { ChatWaits } from './ChatWaits.tsx';
import { PlanList } from './PlanList.tsx';
import { Rows, Sources } from './Evidence.tsx';

const MarkdownText = lazy(() => import('../ui/MarkdownText.tsx'));
const RunAgents = lazy(async () => ({ default: (await import('./AgentTrace.tsx')).RunAgents }));

interface AnswerProps {
  entry: ChatEntry;
  /** Asks its question again. */
  onAgain: (() => void) | undefined;
  onRun: ((run: string) => void) | undefined;
  /** Keeps question and answer as a case of an evaluation. */
  onKeep: (() => void) | undefined;
  /** Whether agents may have taken part in it. */
  hasAgents: boolean;
}

/** An answer, streaming or complete: thoughts, plan, text, how it ended. */
export const Answer = memo(function Answer(props: AnswerProps) {
  const { entry, onAgain } = props;
  const { text, reasoning, state, error, waits = [] } = entry;
  const { plans, parts } = useMemo(() => readBlocks(text), [text]);
  const isWaiting = state === 'coming' && text === '';
  return (
    <article aria-label="Answer" className="flex flex-col gap-2">
      {reasoning !== '' && <Thoughts text={reasoning} isOpen={isWaiting} />}
      {plans.length > 0 && <PlanList plans={plans} />}
      {parts.map((part, i) => (
        <Part key={i} part={part} sources={sourcesFor(parts, i)} />
      ))}
      {state === 'coming' && waits.length > 0 && <ChatWaits waits={waits} />}
      {text === '' && !error && <Silence entry={entry} />}
      {error && (
        <ErrorNote
          {...error}
          action={
            onAgain && (
              <Button size="sm" icon={RotateCcw} onClick={onAgain}>
                Try again
              </Button>
            )
          }
        />
      )}
      {state !== 'coming' && <Tools {...props} />}
    </article>
  );
});

/** An answer that has no words: it is on its way, or it has ended so. */
function Silence({ entry: { state, waits = [] } }: { entry: ChatEntry }) {
  if (state === 'done') return <p className="text-text-2">The answer is empty.</p>;
  if (state !== 'coming' || waits.length > 0) return null;
  return (
    <span className="text-text-2">
      <Spinner label="The answer is on its way" />
    </span>
  );
}

/** The actions on an answer that has ended. */
function Tools(props: AnswerProps) {
  const { run } = props.entry;
  const [areAgentsShown, showAgents] = useState(false);
  return (
    <>
      <ToolBar {...props} areAgentsShown={areAgentsShown} onAgents={() => showAgents(!areAgentsShown)} />
      {areAgentsShown && run !== undefined && (
        <Suspense fallback={null}>
          <RunAgents run={run} />
        </Suspense>
      )}
    </>
  );
}

interface ToolBarProps extends AnswerProps {
  areAgentsShown: boolean;
  onAgents(): void;
}

function ToolBar(props: ToolBarProps) {
  const { onAgain, onRun, onKeep, hasAgents, areAgentsShown, onAgents } = props;
  const { text, state, run, error } = props.entry;
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-1">
      {text !== '' && <CopyButton label="Copy the answer" text={() => plainText(text)} />}
      {onAgain && !error && <IconButton size="sm" icon={RotateCcw} label="Answer again" onClick={onAgain} />}
      {run !== undefined && onRun && (
        <Button size="sm" variant="ghost" icon={Workflow} onClick={() => onRun(run)}>
          Show the run
        </Button>
      )}
      {run !== undefined && hasAgents && (
        <Button
          size="sm"
          variant="ghost"
          icon={Wrench}
          aria-expanded={areAgentsShown}
          title="Which tools the agent could use, and which ones it called"
          onClick={onAgents}
        >
          Tools
        </Button>
      )}
      {text !== '' && state === 'done' && onKeep && (
        <Button size="sm" variant="ghost" icon={Gauge} onClick={onKeep}>
          Add to evaluation…
        </Button>
      )}
      {state === 'stopped' && <Badge>stopped</Badge>}
    </div>
  );
}

/** The passages that the numbers of a part mean: they come behind it. */
function sourcesFor(parts: readonly AnswerPart[], at: number): readonly Source[] {
  const next = parts.slice(at).find(({ kind }) => kind === 'sources');
  return next?.kind === 'sources' ? next.sources : [];
}

function Part({ part, sources }: { part: AnswerPart; sources: readonly Source[] }) {
  switch (part.kind) {
    case 'text':
      return <Prose text={part.text} sources={sources} />;
    case 'message':
      return <Message message={part.message} sources={sources} />;
    case 'sources':
      return <Sources sources={part.sources} />;
    case 'rows':
      return <Rows {...part} />;
  }
}

/** A message of one agent to another, or to the user. */
function Message({ message, sources }: { message: AgentMessage; sources: readonly Source[] }) {
  const { sender, receiver, model, markdown } = message;
  return (
    <section aria-label={`${sender} to ${receiver}`} className="rounded-md border border-line px-3 py-2">
      <h3 className="mb-1 flex flex-wrap items-baseline gap-x-1.5 text-xs">
        <span className="font-semibold">{sender}</span>
        <span className="text-text-2">to {receiver}</span>
        {model !== null && <span className="ml-auto font-mono text-text-2">{model}</span>}
      </h3>
      {readBlocks(markdown).parts.map((part, i) => (
        <Part key={i} part={part} sources={sources} />
      ))}
    </section>
  );
}

/** Characters of one text that are shown. */
const SHOWN = 500_000;

function Prose({ text, sources }: { text: string; sources: readonly Source[] }) {
  const citations = useMemo(
    () => new Map(sources.map((one) => [one.n, { href: addressOf(one.href), text: citationText(one) }])),
    [sources],
  );
  const shown = text.slice(0, SHOWN);
  return (
    <Suspense fallback={<p className="wrap-anywhere whitespace-pre-wrap">{shown}</p>}>
      <MarkdownText text={shown} citations={citations} canCopy />
      {shown.length < text.length && (
        <p className="text-xs text-text-2">
          {countText(text.length - SHOWN, 'more character')} cannot be shown here. Copy the answer to get all
          of it.
        </p>
      )}
    </Suspense>
  );
}

function Thoughts({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <details open={isOpen} className="text-xs text-text-2">
      <summary className="w-fit rounded font-medium">Thoughts</summary>
      <p className="mt-1 border-l-2 border-line pl-2 whitespace-pre-wrap">{text}</p>
    </details>
  );
}
