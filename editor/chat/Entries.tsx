import { lazy, Suspense, type UIEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { EvaluationTarget } from '#shared/evaluation.ts';
import type { KeptQuestion } from '../evaluations/KeepCaseDialog.tsx';
import { Answer } from './Answer.tsx';
import { keptAnswer } from './blocks.ts';
import type { ChatEntry } from './chat-store.ts';
import { SentFiles } from './Files.tsx';

const KeepCaseDialog = lazy(() =>
  import('../evaluations/KeepCaseDialog.tsx').then((file) => ({ default: file.KeepCaseDialog })),
);

interface EntriesProps {
  entries: readonly ChatEntry[];
  conversation: string;
  /** Asks the last question again; undefined during an answer. */
  onAgain: (() => void) | undefined;
  /** Shows the run behind an answer. */
  onRun?: ((run: string) => void) | undefined;
  /** What an evaluation asks to get such answers; undefined if none can. */
  target?: EvaluationTarget | undefined;
}

/** The messages, the newest at the bottom; stays there until somebody scrolls up. */
export function Entries({ entries, conversation, onAgain, onRun, target }: EntriesProps) {
  const [kept, setKept] = useState<KeptQuestion>();
  const { box, onScroll, onGrow } = useStayAtEnd(entries);
  return (
    <div
      ref={box}
      onScroll={onScroll}
      onLoadCapture={onGrow}
      role="log"
      aria-label="Conversation"
      aria-busy={onAgain === undefined}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-5 outline-offset-[-2px]"
    >
      <ol className="mx-auto flex max-w-190 flex-col gap-5">
        {entries.map((entry, i) => (
          <li key={i}>
            {entry.role === 'user' ? (
              <Question entry={entry} conversation={conversation} />
            ) : (
              <Answer
                entry={entry}
                onAgain={i === entries.length - 1 ? onAgain : undefined}
                onRun={onRun}
                onKeep={target && (() => setKept(keptAnswer(entries[i - 1]?.text ?? '', entry.text)))}
              />
            )}
          </li>
        ))}
      </ol>
      {kept && target && (
        <Suspense fallback={null}>
          <KeepCaseDialog target={target} kept={kept} onClose={() => setKept(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

function Question({ entry: { text, files }, conversation }: { entry: ChatEntry; conversation: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      {text !== '' && (
        <div className="ml-auto w-fit max-w-[85%] rounded-lg bg-accent-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
          <span className="sr-only">You: </span>
          {text}
        </div>
      )}
      {files.length > 0 && <SentFiles files={files} conversation={conversation} />}
    </div>
  );
}

const NEAR = 40;

function useStayAtEnd(changes: unknown) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const goOn = useCallback((): void => {
    if (atEnd) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [atEnd]);
  useEffect(goOn, [goOn, changes]);
  const onScroll = ({ currentTarget }: UIEvent): void => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR);
  };
  // Pictures have no height until they are loaded.
  return { box, onScroll, onGrow: goOn };
}
