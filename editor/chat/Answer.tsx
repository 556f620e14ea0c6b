import { RotateCcw, Workflow } from 'lucide-react';
import { lazy, memo, Suspense, useMemo } from 'react';
import type { AgentMessage } from '#shared/chat-item.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { type AnswerPart, plainText, readBlocks } from './blocks.ts';
import type { ChatEntry } from './chat-store.ts';
import { PlanList } from './PlanList.tsx';

const MarkdownText = lazy(() => import('../ui/MarkdownText.tsx'));

interface AnswerProps {
  entry: ChatEntry;
  onAgain: (() => void) | undefined;
  onRun: ((run: string) => void) | undefined;
}

/** An answer, streaming or complete: thoughts, plan, text, how it ended. */
export const Answer = memo(function Answer({ entry, onAgain, onRun }: AnswerProps) {
  const { text, reasoning, state, error, run } = entry;
  const { plans, parts } = useMemo(() => readBlocks(text), [text]);
  const isWaiting = state === 'coming' && text === '';
  return (
    <article aria-label="Answer" className="flex flex-col gap-2">
      {reasoning !== '' && <Thoughts text={reasoning} isOpen={isWaiting} />}
      {plans.length > 0 && <PlanList plans={plans} />}
      {parts.map((part, i) => (
        <Part key={i} part={part} />
      ))}
      {isWaiting && (
        <span className="text-text-2">
          <Spinner label="The answer is on its way" />
        </span>
      )}
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
      {state !== 'coming' && (
        <div className="flex min-h-6 items-center gap-1">
          {text !== '' && <CopyButton label="Copy the answer" text={() => plainText(text)} />}
          {run !== undefined && onRun && (
            <Button size="sm" variant="ghost" icon={Workflow} onClick={() => onRun(run)}>
              Show the run
            </Button>
          )}
          {state === 'stopped' && <Badge>stopped</Badge>}
        </div>
      )}
    </article>
  );
});

function Part({ part }: { part: AnswerPart }) {
  if (part.kind === 'text') return <Prose text={part.text} />;
  return <Message message={part.message} />;
}

/** A message of one agent to another, or to the user. */
function Message({ message: { sender, receiver, model, markdown } }: { message: AgentMessage }) {
  return (
    <section aria-label={`${sender} to ${receiver}`} className="rounded-md border border-line px-3 py-2">
      <h3 className="mb-1 flex flex-wrap items-baseline gap-x-1.5 text-xs">
        <span className="font-semibold">{sender}</span>
        <span className="text-text-2">to {receiver}</span>
        {model !== null && <span className="ml-auto font-mono text-text-2">{model}</span>}
      </h3>
      <Prose text={markdown} />
    </section>
  );
}

function Prose({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
      <MarkdownText text={text} />
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
