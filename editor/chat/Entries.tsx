import { lazy, Suspense, type UIEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { EvaluationTarget } from '#shared/evaluation.ts';
import type { KeptQuestion } from '../evaluations/KeepCaseDialog.tsx';
import { Answer } from './Answer.tsx';
import { keptAnswer } from './blocks.ts';
import type { ChatEntry } from './chat-store.ts';
import { Question } from './Question.tsx';

const KeepCaseDialog = lazy(() =>
  import('../evaluations/KeepCaseDialog.tsx').then((file) => ({ default: file.KeepCaseDialog })),
);

interface EntriesProps {
  entries: readonly ChatEntry[];
  conversation: string;
  isComing: boolean;
  /** Asks the last question again; undefined if nothing can be asked now. */
  onAgain: (() => void) | undefined;
  /** Asks the question at this place again with another text; undefined if nothing can be asked now. */
  onChange: ((at: number, text: string) => void) | undefined;
  /** Shows the run behind an answer. */
  onRun?: ((run: string) => void) | undefined;
  /** The target of an evaluation that gets such answers; undefined if there is none. */
  target?: EvaluationTarget | undefined;
  /** Whether agents may take part in the answers. */
  hasAgents: boolean;
}

/** The messages, the newest at the bottom; stays there until somebody scrolls up. */
export function Entries(props: EntriesProps) {
  const { entries, conversation, isComing, onAgain, onChange, onRun, target, hasAgents } = props;
  const [kept, setKept] = useState<KeptQuestion>();
  const { box, onScroll, onGrow } = useStayAtEnd(entries);
  return (
    <div
      ref={box}
      onScroll={onScroll}
      onLoadCapture={onGrow}
      role="log"
      aria-label="Conversation"
      aria-busy={isComing}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-5 outline-offset-[-2px]"
    >
      <ol className="mx-auto flex max-w-190 flex-col gap-5">
        {entries.map((entry, i) => (
          <li key={i}>
            {entry.role === 'user' ? (
              <Question
                entry={entry}
                conversation={conversation}
                isLast={i >= entries.length - 2}
                onChange={onChange && ((text) => onChange(i, text))}
              />
            ) : (
              <Answer
                entry={entry}
                onAgain={i === entries.length - 1 ? onAgain : undefined}
                onRun={onRun}
                hasAgents={hasAgents}
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
